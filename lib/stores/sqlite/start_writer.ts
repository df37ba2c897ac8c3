/** Starts and ends the thread that writes. */

import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { OpenedFiles } from "./file.ts";
import type { MaybePromise } from "../../maybe_promise.ts";
import { StoreUnavailableError } from "../store.ts";
import type { WriterAccess, WriterPort } from "./writer_messages.ts";
import { type OwnerMessage, type ThreadMessage, WRITER_MODULE, type WriterData } from "./writer_thread.ts";

/** The thread of one store. Other stores of the process can share it. */
export class WriterThread {
  readonly #worker: Worker;
  /** Not the worker's own messages: if this isolate was itself started by another, Deno delivers those only twice a second. */
  readonly #control: MessagePort;
  /** The first message of the thread. Undefined if it has ended before. */
  readonly #started: Promise<ThreadMessage | undefined>;
  readonly #lossListeners = new Set<() => void>();
  #isStarting = true;
  #hasEnded = false;

  private constructor(worker: Worker, control: MessagePort) {
    this.#worker = worker;
    this.#control = control;
    const started = Promise.withResolvers<ThreadMessage | undefined>();
    control.once("message", started.resolve);
    worker.on("exit", () => {
      started.resolve(undefined);
      this.#end();
    });
    // Without a listener, an error in the thread would end the process. The exit follows.
    worker.on("error", () => {});
    this.#started = started.promise.then((message) => {
      this.#isStarting = false;
      // A store without creates in flight does not keep the process alive.
      worker.unref();
      control.unref();
      if (message !== "ready") {
        this.#hasEnded = true;
        void this.terminate();
      }
      return message;
    });
  }

  /** Returns undefined if the module cannot be loaded into a thread. */
  static start(opened: OpenedFiles): WriterThread | undefined {
    const module = findModule(opened.path);
    if (module === undefined) return undefined;
    // On Deno, a thread can be started from a file or from a data: URL, which may import a page of the web.
    const code = "Deno" in globalThis
      ? `import { runWriter } from ${JSON.stringify(module)}; runWriter();`
      // Node has already warned that its SQLite is experimental, and would repeat that for each thread. Not `await`: if a thread is
      // terminated meanwhile, V8 ends the whole process (Node 22).
      : `import process from "node:process"; process.removeAllListeners("warning");
        import(${JSON.stringify(module)}).then(({ runWriter }) => runWriter());`;
    try {
      // Deno would prompt for the permission to copy the environment. Node needs it for NODE_OPTIONS.
      const { port1, port2 } = new MessageChannel();
      const workerData: WriterData = { opened, control: port2 };
      const parts = { workerData, transferList: [port2], name: "petstore-writer" };
      const options = { ...parts, ...("Deno" in globalThis && { env: {} }) };
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options);
      return new WriterThread(worker, port1);
    } catch {
      return undefined;
    }
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** As {@link WriterAccess.connect}. The port can be transferred. */
  async connect(onLost: () => void): Promise<WriterPort | undefined> {
    const started = await this.#started;
    if (started === undefined) return undefined;
    if (typeof started === "object") throw new StoreUnavailableError(started.failed);
    if (this.#hasEnded) throw new StoreUnavailableError("The thread that writes has ended");
    this.#lossListeners.add(onLost);
    const { port1, port2 } = new MessageChannel();
    this.#post({ port: port2 as unknown as WriterPort }, [port2]);
    return port1 as unknown as WriterPort;
  }

  /** Ends the thread. It closes its connection first. */
  async close(): Promise<void> {
    this.#lossListeners.clear();
    // No store has a port to a thread that is still starting, so no batch is pending.
    if (!this.#isStarting && !this.#hasEnded) {
      this.#control.ref();
      const closed = new Promise<void>((resolve) => {
        this.#control.once("message", () => resolve());
        this.#worker.once("exit", () => resolve());
      });
      this.#post("close");
      await closed;
    }
    await this.terminate();
  }

  /** Ends the thread at once. Its open transaction is rolled back. */
  async terminate(): Promise<void> {
    this.#control.close();
    await this.#worker.terminate();
  }

  #post(message: OwnerMessage, transfer: Transfer = []): void {
    this.#control.postMessage(message, transfer);
  }

  #end(): void {
    this.#hasEnded = true;
    for (const onLost of this.#lossListeners) onLost();
    this.#lossListeners.clear();
  }
}

/** The thread of a store: started when it is needed, and again when it has ended. */
export class WriterOwner implements WriterAccess {
  readonly #opened: OpenedFiles;
  #thread: WriterThread | undefined;

  constructor(opened: OpenedFiles) {
    this.#opened = opened;
  }

  async connect(onLost: () => void): Promise<WriterPort | undefined> {
    if (!this.#thread || this.#thread.hasEnded) this.#thread = WriterThread.start(this.#opened);
    return await this.#thread?.connect(onLost);
  }

  close(): MaybePromise<void> {
    return this.#thread?.close();
  }
}

type Transfer = NonNullable<Parameters<MessagePort["postMessage"]>[1]>;

/** Deno's API for permissions. */
interface Permissions {
  querySync(permission: { name: "read" | "write"; path: string | URL }): { state: string };
}

/** The address of the thread's module, or undefined if it cannot or must not be loaded. */
function findModule(database: string): string | undefined {
  // In a bundle, the address is that of the bundle, and loading it would start the whole program again.
  if (WRITER_MODULE === undefined || !/\/writer_thread\.[jt]s$/.test(WRITER_MODULE)) return undefined;
  const { permissions } = (globalThis as { Deno?: { permissions?: Permissions } })["Deno"] ?? {};
  if (permissions) {
    // Deno would prompt at the terminal for a permission that is missing, even for one that the program has revoked.
    const isGranted = (name: "read" | "write", path: string | URL) =>
      permissions.querySync({ name, path }).state === "granted";
    const library = new URL("../../", WRITER_MODULE);
    if (library.protocol === "file:" && !isGranted("read", library)) return undefined;
    if (!isGranted("read", database) || !isGranted("write", database)) return undefined;
  }
  return WRITER_MODULE;
}
