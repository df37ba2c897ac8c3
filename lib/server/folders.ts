/** Folders for the files that the server creates. */

export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash) || "/";
}

/** Creates the folder for a file, accessible only to its owner. */
export function makeFolderFor(path: string): void {
  const folder = folderOf(path);
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The folder's own name must reach the disk too. Without permission for the outer folder, the folder already existed.
  const outer = folderOf(folder);
  if (Deno.permissions.querySync({ name: "read", path: outer }).state === "granted") syncFolder(outer);
}

/** Syncs the names of new files to disk. Windows does this by itself, and cannot open a folder. */
export function syncFolder(path: string): void {
  if (Deno.build.os === "windows") return;
  using folder = Deno.openSync(path);
  folder.syncSync();
}
