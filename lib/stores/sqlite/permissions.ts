interface DenoPermissions {
  permissions?: { querySync(permission: { name: "read" | "write"; path: string | URL }): { state: string } };
}

/**
 * Whether this program may read or write a file. On Node and Bun it may, as far as the system lets it. Ask this before the use, because Deno
 * would ask the person at the terminal for a permission that is missing.
 */
export function mayAccess(name: "read" | "write", path: string | URL): boolean {
  const { permissions } = (globalThis as { Deno?: DenoPermissions }).Deno ?? {};
  return !permissions || permissions.querySync({ name, path }).state === "granted";
}
