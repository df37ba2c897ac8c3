import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { OpenedFiles } from "./file.ts";
import type { WriterPort } from "./writer_messages.ts";
import { WRITER_MODULE, type WriterData } from "./writer_thread.ts";

/** The thread of a store, which starts when it is needed, and again when it has ended. */
export class WriterOwner {
  readonly #opened: OpenedFiles;
  #worker: Worker | undefined;
  /** Brings the thread its lines. Deno delivers the worker's own messages late if this isolate is itself a worker. */
  #control: MessagePort | undefined;

  constructor(opened: OpenedFiles) {
    this.#opened = opened;
  }

  /**
   * A new line to the thread; undefined if no thread can be started. The first {@link Reply} is `ready` or a failure, and each later
   * one answers a batch.
   */
  connect(): WriterPort | undefined {
    this.#control ??= this.#start();
    const { port1, port2 } = new MessageChannel();
    this.#control?.postMessage(port2, [port2]);
    return this.#control && port1 as unknown as WriterPort;
  }

  async close(): Promise<void> {
    const control = this.#control;
    if (!control) return;
    control.ref();
    const closed = new Promise<void>((resolve) => control.once("close", () => resolve()));
    control.postMessage("close");
    await closed;
    await this.terminate();
  }

  async terminate(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** Undefined if the module cannot be loaded into a thread. */
  #start(): MessagePort | undefined {
    const module = findModule(this.#opened.path);
    if (module === undefined) return undefined;
    // On Deno, a thread starts from a file or a data: URL, which may import a page of the web.
    const code = "Deno" in globalThis
      ? `import { runWriter } from ${JSON.stringify(module)}; runWriter();`
      // Node would repeat its warning about SQLite for each thread. Not `await`: terminating a thread in one ends the
      // process (Node 22).
      : `import process from "node:process"; process.removeAllListeners("warning");
        import(${JSON.stringify(module)}).then(({ runWriter }) => runWriter());`;
    try {
      const { port1, port2 } = new MessageChannel();
      const workerData: WriterData = { opened: this.#opened, control: port2 };
      const parts = { workerData, transferList: [port2], name: "petstore-writer" };
      // Deno would prompt for the permission to copy the environment. Node needs it for NODE_OPTIONS.
      const options = { ...parts, ...("Deno" in globalThis && { env: {} }) };
      this.#worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options);
      // Without a listener, an error in the thread would end the process.
      this.#worker.on("error", () => {});
      this.#worker.unref();
      port1.on("close", () => this.#control = undefined);
      // Deno notices the end of a port only once it receives.
      port1.start();
      port1.unref();
      return port1;
    } catch {
      return undefined;
    }
  }
}

interface Permissions {
  querySync(permission: { name: "read" | "write"; path: string | URL }): { state: string };
}

/** Undefined if the module cannot or must not be loaded. */
function findModule(database: string): string | undefined {
  // In a bundle, this address would start the whole program again.
  if (WRITER_MODULE === undefined || !/\/writer_thread\.[jt]s$/.test(WRITER_MODULE)) return undefined;
  const { permissions } = (globalThis as { Deno?: { permissions?: Permissions } })["Deno"] ?? {};
  if (permissions) {
    // Deno would prompt for a missing permission.
    const isGranted = (name: "read" | "write", path: string | URL) =>
      permissions.querySync({ name, path }).state === "granted";
    const library = new URL("../../", WRITER_MODULE);
    if (library.protocol === "file:" && !isGranted("read", library)) return undefined;
    if (!isGranted("read", database) || !isGranted("write", database)) return undefined;
  }
  return WRITER_MODULE;
}
