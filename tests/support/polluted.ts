/** The result of `work` while every object has further members, as after a bug of another library. */
export async function whilePolluted<T>(members: Record<string, unknown>, work: () => T | Promise<T>): Promise<T> {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true, enumerable: true });
  }
  try {
    return await work();
  } finally {
    for (const name of Object.keys(members)) Reflect.deleteProperty(Object.prototype, name);
  }
}
