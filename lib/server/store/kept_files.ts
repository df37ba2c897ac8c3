/** The server's way to the isolate that keeps the permission for files. */

import type { OpenedFiles } from "../../stores/sqlite/file.ts";
import type { WriterAccess, WriterPort } from "../../stores/sqlite/writer_messages.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import type { KeeperMessage, KeeperRequest } from "./file_keeper.ts";

type Reply = Exclude<KeeperMessage, { lost: number }>;

/** What the isolate may do. Without `deno run --unstable-worker-options`, Deno ends the process when it reads this. */
const PERMISSIONS = {
  ...{ read: "inherit", write: "inherit", import: "inherit" },
  ...{ net: false, env: false, sys: false, run: false, ffi: false },
};

export class KeptFiles implements WriterAccess {
  readonly #worker: Worker;
  readonly #asked = new Map<number, (reply: Reply) => void>();
  readonly #lost = new Map<number, () => void>();
  #last = 0;
  #failure: string | undefined;

  constructor(opened: OpenedFiles) {
    const deno = { permissions: PERMISSIONS };
    const program = new URL("./file_keeper.ts", import.meta.url);
    this.#worker = new Worker(program, { type: "module", deno } as WorkerOptions);
    this.#worker.onmessage = ({ data }: MessageEvent<KeeperMessage>) => {
      const settle = "lost" in data ? this.#lost.get(data.lost) : this.#asked.get(data.number);
      if (!("lost" in data)) this.#asked.delete(data.number);
      settle?.(data as Reply);
    };
    this.#worker.onerror = (event) => {
      // Otherwise the server would end too.
      event.preventDefault();
      this.#fail(`The isolate for files has ended: ${event.message}`);
    };
    void this.#ask({ open: opened });
  }

  async connect(lost: () => void): Promise<WriterPort | undefined> {
    const { port } = await this.#ask("connect", lost);
    return port;
  }

  async requireInPlace(): Promise<void> {
    const { failure } = await this.#ask("check");
    if (failure !== undefined) throw new StoreUnavailableError(failure);
  }

  async close(): Promise<void> {
    this.#lost.clear();
    await this.#ask("close");
    this.#worker.terminate();
  }

  #ask(want: KeeperRequest["want"], lost?: () => void): Promise<Reply> {
    const number = ++this.#last;
    if (this.#failure !== undefined) return Promise.resolve({ number, failure: this.#failure });
    if (lost) this.#lost.set(number, lost);
    this.#worker.postMessage({ number, want } satisfies KeeperRequest);
    return new Promise((resolve) => this.#asked.set(number, resolve));
  }

  #fail(failure: string): void {
    this.#failure = failure;
    for (const [number, settle] of this.#asked) settle({ number, failure });
    for (const lost of this.#lost.values()) lost();
    this.#asked.clear();
    this.#lost.clear();
  }
}
