/**
 * The two sides of a thread. The program starts a thread, if one can be started, and sends it one
 * request at a time, and the thread answers with a result or a failure. `writer.ts` commits in a
 * thread, and `backup.ts` copies in one.
 */

import { closeSync, existsSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { MessageChannel, type MessagePort, Worker, workerData } from "node:worker_threads";
import type { MaybePromise } from "../../promises.ts";
import { isTemporary } from "../../temporary_errors.ts";
import { StoreUnavailableError } from "../store.ts";
import { mayAccess } from "./permissions.ts";

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
  // Any other address is that of a bundle, and a thread of it would start the whole program.
  const name = /\/stores\/sqlite\/(writer|backup)\.[jt]s$/.exec(module ?? "")?.[1];
  if (module === undefined || name === undefined || !mayLoad(module) || !areDescriptorsFree()) return undefined;
  // The messages have a port of their own, because Deno delivers those of the worker late if this
  // isolate is itself a worker.
  const { port1, port2 } = new MessageChannel();
  try {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(threadProgram(module))}`), {
      name: `petstore-${name}`,
      workerData: { database, port: port2 },
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

/** What a thread gets when it starts. */
interface ThreadData<Database> {
  database: Database;
  port: MessagePort;
}

type Answer<Result> = { result: Result } | Failure;

/** An error as a message. Structured cloning of the error itself would lose its class and its members. */
interface Failure {
  failure: string;
  /** What a {@link StoreUnavailableError} says beside its message. It is absent for a defect of this library. */
  unavailable?: { mayBeStored: boolean; isTemporary: boolean };
}

/** The answer to a request will never come, because the thread has ended. */
export class ThreadEnded extends Error {
  override message = "The thread has ended";
  /** Another thread may reach the end of its work. */
  readonly isTemporary = true;
}

/** A thread, as the program sees it that has started it. */
export class Thread<Request, Result> {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  /** The last request. It is settled when the thread has answered it or has ended. */
  #asked: PromiseWithResolvers<Result> | undefined;
  /** Whether the thread has ended, as far as this program has heard. */
  hasEnded = false;

  /** {@link startThread} makes it. */
  constructor(worker: Worker, port: MessagePort) {
    this.#worker = worker;
    this.#port = port;
    onMessage(port, (answer: Answer<Result>) => {
      if ("failure" in answer) this.#asked?.reject(errorOf(answer));
      else this.#asked?.resolve(answer.result);
    });
    const end = () => {
      this.hasEnded = true;
      this.#asked?.reject(new ThreadEnded());
    };
    port.on("close", end);
    // On Bun, the port stays open if the thread ends while it starts, before it has its own side of the port.
    worker.on("exit", end);
  }

  /**
   * Sends a request, and waits for its answer. The one before must have been answered.
   *
   * @throws {ThreadEnded} If the thread ends before its answer.
   * @throws The error that the thread has answered.
   */
  async ask(request: Request): Promise<Result> {
    if (this.hasEnded) throw new ThreadEnded();
    this.#asked = Promise.withResolvers<Result>();
    // The port keeps the process alive only during the wait, so that a store without creates in flight does not.
    this.#port.ref();
    try {
      this.#port.postMessage(request);
      return await this.#asked.promise;
    } finally {
      this.#port.unref();
    }
  }

  /** Ends the thread at once. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Lets this thread answer requests. `work` gets each of them, and the database that `startThread()` was given. */
export function answerRequests<Database, Request, Result>(
  work: (request: Request, database: Database) => MaybePromise<Result>,
): void {
  const { database, port } = workerData as ThreadData<Database>;
  onMessage(port, async (request: Request) => {
    try {
      port.postMessage({ result: await work(request, database) });
    } catch (error) {
      port.postMessage(failureOf(error));
    }
  });
}

/**
 * Calls `receive` with each message on a port. On Deno, `port.on("message")` takes three
 * microseconds more for each create of a batch.
 */
function onMessage<Message>(port: MessagePort, receive: (message: Message) => void): void {
  Object.assign(port, { onmessage: ({ data }: { data: Message }) => receive(data) });
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof StoreUnavailableError)) return { failure: String(error) };
  return {
    failure: error.message,
    unavailable: { mayBeStored: error.mayBeStored, isTemporary: isTemporary(error) },
  };
}

function errorOf({ failure, unavailable }: Failure): Error {
  return unavailable ? new StoreUnavailableError(failure, unavailable) : new Error(failure);
}
