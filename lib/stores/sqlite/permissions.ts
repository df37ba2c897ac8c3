interface WithDeno {
  Deno?: { permissions?: { querySync(permission: object): { state: string } } };
}

/**
 * Whether this program may read or write a file, or read an environment variable: all of them, if
 * none is named. On Node and Bun it may do whatever its user may. Ask this before the use, because
 * Deno would ask the person at the terminal for a permission that is missing.
 */
export function mayAccess(name: "read" | "write" | "env", which?: string | URL): boolean {
  const permissions = (globalThis as WithDeno).Deno?.permissions;
  // Deno looks at the member that belongs to the name.
  return !permissions || permissions.querySync({ name, path: which, variable: which }).state === "granted";
}
