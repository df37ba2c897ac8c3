/** Stores in two Workers that share databases, as a fixture for the store contract. */

import assert from "node:assert/strict";
import type { PetStore, StoreFixture } from "../../../lib/testing/testing.ts";
import { storeScript } from "./bundle.ts";
import { remoteStore } from "./remote_store.ts";
import { Workers, type WorkersOptions } from "./workerd.ts";

/** The names of the folders in `workers/`, and the first parts of the paths in store_worker.ts. */
export type StoreInWorkers = "d1" | "object";

/** Each database slows down every start. A case needs one, for its namespace. */
const DATABASES = 2;

export class WorkerFixture implements StoreFixture, AsyncDisposable {
  readonly sharing = "many machines";
  readonly #kind: StoreInWorkers;
  readonly #options: WorkersOptions;
  #workers: Workers;
  /** The database of each namespace. */
  readonly #databases = new Map<string, string>();
  #opened = 0;

  private constructor(kind: StoreInWorkers, options: WorkersOptions) {
    this.#kind = kind;
    this.#options = options;
    this.#workers = new Workers(options);
  }

  /** @param folder Keeps the databases. */
  static async start(kind: StoreInWorkers, folder: string): Promise<WorkerFixture> {
    const script = await storeScript();
    return new WorkerFixture(kind, { scripts: [script, script], folder, databases: DATABASES });
  }

  /** Opens a store in each Worker in turn. */
  async open(namespace: string): Promise<PetStore> {
    return remoteStore(await this.#urlOf(namespace, `open${++this.#opened}`));
  }

  async remove(namespace: string): Promise<void> {
    if (this.#kind === "d1") await (await fetch(`${await this.#urlOf(namespace, "last")}/drop`)).body?.cancel();
    this.#databases.delete(namespace);
  }

  async #urlOf(namespace: string, name: string): Promise<string> {
    const used = [...this.#databases.values()];
    const free = Array.from({ length: DATABASES }, (_, i) => `DB${i}`).find((each) => !used.includes(each));
    const database = this.#kind === "object" ? namespace : this.#databases.get(namespace) ?? free;
    assert.ok(database, "All databases are in use");
    this.#databases.set(namespace, database);
    const origins = await this.#workers.origins();
    return `${origins[this.#opened % origins.length]}/${this.#kind}/${database}/${name}`;
  }

  async crash(): Promise<void> {
    Workers.kill();
    await this.#workers[Symbol.asyncDispose]();
    this.#workers = new Workers(this.#options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#workers[Symbol.asyncDispose]();
  }
}
