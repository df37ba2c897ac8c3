/** A permission that Deno grants or refuses to a program. */
type Permission =
  | { name: "read" | "write"; path: string | URL }
  | { name: "env"; variable?: string };

interface DenoPermissions {
  permissions?: { querySync(permission: Permission): { state: string } };
}

/**
 * Whether this program has a permission. On Node and Bun it may do whatever its user may. Ask this
 * before the use, because Deno would ask the person at the terminal for a permission that is
 * missing.
 */
export function isPermitted(permission: Permission): boolean {
  const { permissions } = (globalThis as { Deno?: DenoPermissions }).Deno ?? {};
  return !permissions || permissions.querySync(permission).state === "granted";
}

/** Whether this program may read or write a file, as {@link isPermitted} says it. */
export function mayAccess(name: "read" | "write", path: string | URL): boolean {
  return isPermitted({ name, path });
}
