/** Starts the threads that use an SQLite file: the one that writes, and the one that copies. */

import { type MessagePort, Worker } from "node:worker_threads";
import { mayAccess } from "./permissions.ts";

/** What a thread runs, and what it gets. */
export interface ThreadWork {
  /** The address of the module that the thread loads; undefined where it has none. */
  module: string | undefined;
  /**
   * The name of the module's file without the extension. An address with another name is that of a bundle, and would start the whole
   * program, so no thread is started.
   */
  file: string;
  /** The name of the exported function that the thread calls. It takes no argument. */
  call: string;
  /** The path of the database, which a thread on Deno needs the permission to use. */
  database: string;
  /** What the function finds in `workerData` of `node:worker_threads`. */
  workerData: unknown;
  transferList: MessagePort[];
}

/** Starts a thread, or returns undefined if the module cannot be loaded into one. */
export function startThread(
  { module, file, call, database, workerData, transferList }: ThreadWork,
): Worker | undefined {
  if (module === undefined || !mayLoad(module, file, database)) return undefined;
  const isDeno = "Deno" in globalThis;
  const code = isDeno ? codeOnDeno(module, call) : codeOnNode(module, call);
  const options = { workerData, transferList, name: `petstore-${file}` };
  // Deno would prompt for the permission to copy the environment, so its thread has none. Node needs the environment for NODE_OPTIONS.
  const optionsHere = isDeno ? { ...options, env: {} } : options;
  try {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), optionsHere);
    // Without a listener, an error in the thread would end the process.
    worker.on("error", () => {});
    return worker;
  } catch {
    return undefined;
  }
}

/** The code of a thread on Deno, which starts from a file or a data: URL. The code may import a page of the web. */
function codeOnDeno(module: string, call: string): string {
  return `import { ${call} } from ${JSON.stringify(module)}; ${call}();`;
}

/**
 * The code of a thread on Node or Bun. Node would repeat its warning about SQLite for each thread. The import is not awaited, because
 * terminating a thread in an `await` at the top level ends the process (Node 22).
 */
function codeOnNode(module: string, call: string): string {
  return `import process from "node:process"; process.removeAllListeners("warning");
      import(${JSON.stringify(module)}).then(({ ${call} }) => ${call}());`;
}

/** Whether the thread can load its module and use the database. */
function mayLoad(module: string, file: string, database: string): boolean {
  if (!module.endsWith(`/${file}.ts`) && !module.endsWith(`/${file}.js`)) return false;
  // The module imports others from the folder `lib`.
  const library = new URL("../../", module);
  if (library.protocol === "file:" && !mayAccess("read", library)) return false;
  return mayAccess("read", database) && mayAccess("write", database);
}
