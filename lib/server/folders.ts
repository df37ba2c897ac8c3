/** Folders for the files that the server makes. */

/** The folder that a path is in. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}

/** Makes the folder for a file, accessible to its owner only. */
export function makeFolderFor(path: string): void {
  const folder = folderOf(path);
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The folder's own name must reach the disk too. With permission for the folder alone, the server has not made it.
  const outer = folderOf(folder);
  if (Deno.permissions.querySync({ name: "read", path: outer }).state === "granted") syncFolder(outer);
}

/** Brings the names of new files to the disk. Windows does so by itself and cannot open a folder. */
export function syncFolder(path: string): void {
  if (Deno.build.os === "windows") return;
  using folder = Deno.openSync(path);
  folder.syncSync();
}
