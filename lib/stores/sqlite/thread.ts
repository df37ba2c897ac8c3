/** Starts the threads that use an SQLite file: the one that writes, and the one that copies. */

import { type MessagePort, Worker } from "node:worker_threads";

/** What a module gets that runs in a thread. */
export interface ThreadWork {
  /** The address of the module, or undefined where it has none. */
  module: string | undefined;
  /** The name of its file without the extension. In a bundle, the module has another one, and its address would start the whole program. */
  file: string;
  /** The name of the exported function that the thread calls. It takes no argument. */
  call: string;
  /** The database, which a thread on Deno needs the permission to use. */
  database: string;
  workerData: unknown;
  transferList: MessagePort[];
}

/** Starts a thread, or returns undefined if the module cannot be loaded into one. */
export function startThread(
  { module, file, call, database, workerData, transferList }: ThreadWork,
): Worker | undefined {
  if (module === undefined || !mayLoad(module, file, database)) return undefined;
  // On Deno, a thread starts from a file or a data: URL, which may import a page of the web.
  const code = "Deno" in globalThis
    ? `import { ${call} } from ${JSON.stringify(module)}; ${call}();`
    // Node would repeat its warning about SQLite for each thread. The import is not awaited, because terminating a thread in an `await`
    // at the top level ends the process (Node 22).
    : `import process from "node:process"; process.removeAllListeners("warning");
      import(${JSON.stringify(module)}).then(({ ${call} }) => ${call}());`;
  // Deno would prompt for the permission to copy the environment. Node needs it for NODE_OPTIONS.
  const options = { workerData, transferList, name: `petstore-${file}`, ...("Deno" in globalThis && { env: {} }) };
  try {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options);
    // Without a listener, an error in the thread would end the process.
    worker.on("error", () => {});
    return worker;
  } catch {
    return undefined;
  }
}

interface Permissions {
  querySync(permission: { name: "read" | "write"; path: string | URL }): { state: string };
}

/** Whether the thread can load its module. Deno would prompt for a missing permission, so it is asked first. */
function mayLoad(module: string, file: string, database: string): boolean {
  if (!module.endsWith(`/${file}.ts`) && !module.endsWith(`/${file}.js`)) return false;
  const { permissions } = (globalThis as { Deno?: { permissions?: Permissions } })["Deno"] ?? {};
  if (!permissions) return true;
  const isGranted = (name: "read" | "write", path: string | URL) =>
    permissions.querySync({ name, path }).state === "granted";
  const library = new URL("../../", module);
  if (library.protocol === "file:" && !isGranted("read", library)) return false;
  return isGranted("read", database) && isGranted("write", database);
}
