/** Stores in two Workers that share databases, as a subject of the store contract. */

import assert from "node:assert/strict";
import type { PetStore, StoreFixture } from "../../../lib/testing/testing.ts";
import { storeScript } from "./bundle.ts";
import { remoteStore } from "./remote_store.ts";
import { Workers, type WorkersOptions } from "./workerd.ts";

/** As the folders of `workers/` and the paths of store_worker.ts name it. */
export type StoreInWorkers = "d1" | "object";

/** Each costs time at every start. A case has one place. */
const DATABASES = 2;

export class WorkerFixture implements StoreFixture, AsyncDisposable {
  readonly sharing = "many machines";
  readonly lacks = ["changes"] as const;
  readonly #kind: StoreInWorkers;
  readonly #options: WorkersOptions;
  #workers: Workers;
  /** The databases of the places. */
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

  /** A new store, at one Worker and the other in turn. */
  async open(place: string): Promise<PetStore> {
    return remoteStore(await this.#urlOf(place, `open${++this.#opened}`));
  }

  async remove(place: string): Promise<void> {
    if (this.#kind === "d1") await (await fetch(`${await this.#urlOf(place, "last")}/drop`)).body?.cancel();
    this.#databases.delete(place);
  }

  async #urlOf(place: string, name: string): Promise<string> {
    const taken = [...this.#databases.values()];
    const free = Array.from({ length: DATABASES }, (_, i) => `DB${i}`).find((each) => !taken.includes(each));
    const database = this.#kind === "object" ? place : this.#databases.get(place) ?? free;
    assert.ok(database, "All databases are in use");
    this.#databases.set(place, database);
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
