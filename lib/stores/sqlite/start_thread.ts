/** Starts a thread where one can be started. Where none can, its work is done without it. */

import { closeSync, existsSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { MessageChannel, Worker } from "node:worker_threads";
import { mayAccess } from "./permissions.ts";
import { Thread, type ThreadData } from "./thread.ts";

/**
 * Starts a thread, or returns undefined if that is not possible now: in a bundle, without a
 * permission or with too few free descriptors. The caller then does the work of the thread itself.
 *
 * @param module The address of a module that exports `runInThread()`: a file or, if it comes from
 * JSR, a page of the web. It is undefined where a bundler has removed it.
 * @param database Where the database is, for the thread.
 */
export function startThread<Request, Result>(
  module: string | undefined,
  database: object,
): Thread<Request, Result> | undefined {
  const name = threadName(module);
  if (module === undefined || name === undefined || !mayLoad(module) || !areDescriptorsFree()) return undefined;
  // The messages have a port of their own, because Deno delivers those of the worker late if this
  // isolate is itself a worker.
  const { port1, port2 } = new MessageChannel();
  try {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(threadProgram(module))}`), {
      name: `petstore-${name}`,
      workerData: { database, port: port2 } satisfies ThreadData<object>,
      transferList: [port2],
      // Deno would prompt for the permission to copy the environment. Node needs it for NODE_OPTIONS.
      ...("Deno" in globalThis ? { env: {} } : {}),
    });
    // Without a listener, an error in the thread would end the process.
    worker.on("error", () => {});
    worker.unref();
    return new Thread(worker, port1);
  } catch {
    // Node starts no thread without `--allow-worker`.
    port1.close();
    return undefined;
  }
}

/**
 * The program of a thread, which runs a module. It silences Node's warning about SQLite, which this
 * process has shown before.
 */
function threadProgram(module: string): string {
  // The import is not awaited, because terminating a thread in an `await` at the top level ends the process (Node 22).
  return `import process from "node:process";
    process.removeAllListeners("warning");
    import(${JSON.stringify(module)}).then(({ runInThread }) => runInThread());`;
}

/**
 * The name of a thread's module. Any other address is that of a bundle, and a thread of it would
 * start the whole program.
 */
function threadName(module: string | undefined): string | undefined {
  return /\/(writing_thread|backup_thread)\.[jt]s$/.exec(module ?? "")?.[1];
}

/** Whether the thread can load its module, which imports others from the folder `lib`. */
function mayLoad(module: string): boolean {
  const library = new URL("../../", module);
  if (library.protocol !== "file:") return true;
  // webpack writes the address that the module had at the build into its bundle, which may then run on another machine.
  return mayAccess("read", library) && existsSync(new URL(module));
}

/** How many descriptors a thread takes: six on Deno 2.9 and seven on Node 24, with some to spare. */
const DESCRIPTORS_OF_THREAD = 16;

/**
 * Whether a thread would find enough free descriptors, found out by opening as many. Clients may
 * have taken them, and Deno ends the process if it cannot start a thread for want of one. The
 * caller must start the thread at once, before the process accepts a connection.
 */
function areDescriptorsFree(): boolean {
  // Without the permission to open the file, nothing is known to be missing.
  if (!mayAccess("read", devNull)) return true;
  const opened: number[] = [];
  try {
    while (opened.length < DESCRIPTORS_OF_THREAD) opened.push(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
