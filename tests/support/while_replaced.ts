/** The result of `work` while an object of the runtime has these members in place of its own. */
export async function whileReplaced<Owner extends object, T>(
  owner: Owner,
  members: Partial<Owner>,
  work: () => T | Promise<T>,
): Promise<T> {
  const own = Object.fromEntries(Object.keys(members).map((name) => [name, owner[name as keyof Owner]]));
  Object.assign(owner, members);
  try {
    return await work();
  } finally {
    Object.assign(owner, own);
  }
}
