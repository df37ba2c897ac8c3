/** A correct store on a simulated slow disk. The wrong stores of refutations_test.ts extend it. */

import {
  formatPet,
  formatPets,
  type IdempotentOutcome,
  type IdempotentRequest,
  type MaybePromise,
  type Pet,
  type PetDraft,
  type PetPage,
  type PetQuery,
  type PetStore,
  StoreUnavailableError,
} from "../../lib/stores/store.ts";

/** The data that survives a store. Stores access it after a delay of some turns of the event loop. */
export class Disk {
  last = 0n;
  readonly pets: Map<bigint, Pet> = new Map();
  readonly requests: Map<string, { fingerprint: string; id: bigint; expires: number }> = new Map();
  crashes = 0;

  /** The present time in milliseconds, with one clock for all stores. */
  now(): number {
    return performance.now();
  }
}

export class ReferenceStore implements PetStore {
  protected readonly disk: Disk;
  readonly #crashes: number;
  /** Resolves when every create that has begun has ended. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(disk: Disk) {
    this.disk = disk;
    this.#crashes = disk.crashes;
  }

  /** Simulates the delay of the disk. */
  protected async delay(): Promise<void> {
    for (let turns = Math.trunc(Math.random() * 4); turns >= 0; turns--) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.disk.crashes !== this.#crashes) throw new StoreUnavailableError("The power was lost");
  }

  /** Adds a pet on the disk. */
  protected write(pet: PetDraft): bigint {
    if (!["available", "pending", "sold"].includes(pet.status)) throw new TypeError("The status is invalid");
    const id = ++this.disk.last;
    this.disk.pets.set(id, { id, ...pet });
    return id;
  }

  protected remembered({ key, fingerprint }: IdempotentRequest, now: number): IdempotentOutcome | undefined {
    const known = this.disk.requests.get(key);
    if (!known || known.expires <= now) return undefined;
    return known.fingerprint === fingerprint ? { outcome: "replayed", id: known.id } : { outcome: "conflict" };
  }

  protected remember({ key, fingerprint, retentionMs }: IdempotentRequest, id: bigint, now: number): void {
    this.disk.requests.set(key, { fingerprint, id, expires: now + retentionMs });
  }

  protected async add(pet: PetDraft): Promise<bigint> {
    await this.delay();
    const id = this.write(pet);
    await this.delay();
    return id;
  }

  protected async addOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    await this.delay();
    const now = this.disk.now();
    const outcome = this.remembered(request, now) ?? { outcome: "created", id: this.write(pet) };
    if (outcome.outcome === "created") this.remember(request, outcome.id, now);
    await this.delay();
    return outcome;
  }

  create(pet: PetDraft): MaybePromise<bigint> {
    return this.#finish(this.add(pet));
  }

  createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return this.#finish(this.addOnce(pet, request));
  }

  async get(id: bigint): Promise<string | undefined> {
    await this.delay();
    const pet = this.disk.pets.get(id);
    return pet && formatPet(pet);
  }

  async list({ after, limit, status }: PetQuery): Promise<PetPage> {
    await this.delay();
    const all = [...this.disk.pets.values()].filter((pet) => pet.id > after && (!status || pet.status === status));
    all.sort((one, other) => one.id < other.id ? -1 : 1);
    const page = all.slice(0, limit);
    const json = formatPets(page);
    return all.length > limit ? { json, next: page.at(-1)!.id } : { json };
  }

  check(): void {}

  async close(): Promise<void> {
    await this.#ended;
  }

  #finish<T>(create: Promise<T>): Promise<T> {
    this.#ended = Promise.allSettled([this.#ended, create]);
    return create;
  }
}
