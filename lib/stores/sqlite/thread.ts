/**
 * The two sides of a thread. The program that has started a thread sends it one request at a time,
 * and the thread answers with a result or a failure. `writing_thread.ts` commits in a thread, and
 * `backup_thread.ts` copies in one.
 */

import { type MessagePort, type Worker, workerData } from "node:worker_threads";
import type { MaybePromise } from "../../promises.ts";
import { isTemporary } from "../../temporary_errors.ts";
import { StoreUnavailableError } from "../store.ts";

/** What a thread gets when it starts. */
export interface ThreadData<Database> {
  database: Database;
  port: MessagePort;
}

type Answer<Result> = { result: Result } | { failure: Failure };

/** An error as a message. Structured cloning of the error itself would lose its class and its members. */
interface Failure {
  message: string;
  /** What a {@link StoreUnavailableError} says beside its message. It is undefined for a defect of this library. */
  unavailable: { mayBeStored: boolean; isTemporary: boolean } | undefined;
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
  #hasEnded = false;

  /** `start_thread.ts` makes it. */
  constructor(worker: Worker, port: MessagePort) {
    this.#worker = worker;
    this.#port = port;
    onMessage(port, (answer: Answer<Result>) => {
      if ("failure" in answer) this.#asked?.reject(errorOf(answer.failure));
      else this.#asked?.resolve(answer.result);
    });
    const end = () => {
      this.#hasEnded = true;
      this.#asked?.reject(new ThreadEnded());
    };
    port.on("close", end);
    // On Bun, the port stays open if the thread ends while it starts, before it has its own side of the port.
    worker.on("exit", end);
  }

  /** Whether the thread has ended, as far as this program has heard. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Sends a request, and waits for its answer. The one before must have been answered.
   *
   * @throws {ThreadEnded} If the thread ends before its answer.
   * @throws The error that the thread has answered.
   */
  async ask(request: Request): Promise<Result> {
    if (this.#hasEnded) throw new ThreadEnded();
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
      port.postMessage({ result: await work(request, database) } satisfies Answer<Result>);
    } catch (error) {
      port.postMessage({ failure: failureOf(error) } satisfies Answer<Result>);
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
  if (!(error instanceof StoreUnavailableError)) return { message: String(error), unavailable: undefined };
  const { message, mayBeStored } = error;
  return { message, unavailable: { mayBeStored, isTemporary: isTemporary(error) } };
}

function errorOf({ message, unavailable }: Failure): Error {
  return unavailable ? new StoreUnavailableError(message, unavailable) : new Error(message);
}
