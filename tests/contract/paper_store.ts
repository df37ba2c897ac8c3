/** A store that keeps its promises, on a disk that takes a while. The wrong stores of refutations_test.ts are derived from it. */

import {
  formatPet,
  formatPets,
  type IdempotentOutcome,
  type IdempotentRequest,
  type Pet,
  type PetDraft,
  type PetPage,
  type PetQuery,
  type PetStore,
  StoreUnavailableError,
} from "../../mod.ts";

/** What outlives a store. Each access happens at once, but the way to the disk takes some turns of the event loop. */
export class Disk {
  last = 0n;
  readonly pets: Map<bigint, Pet> = new Map();
  readonly requests: Map<string, { fingerprint: string; id: bigint; expires: number }> = new Map();
  crashes = 0;

  /** In milliseconds, with one clock for all stores. */
  now(): number {
    return performance.now();
  }
}

export class PaperStore implements PetStore {
  protected readonly disk: Disk;
  readonly #crashes: number;
  readonly #begun = new Set<Promise<unknown>>();

  constructor(disk: Disk) {
    this.disk = disk;
    this.#crashes = disk.crashes;
  }

  /** The way to the disk, or back. */
  protected async travel(): Promise<void> {
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
    return known.fingerprint === fingerprint ? { outcome: "replayed", id: known.id } : { outcome: "reused" };
  }

  protected remember({ key, fingerprint, retentionMs }: IdempotentRequest, id: bigint, now: number): void {
    this.disk.requests.set(key, { fingerprint, id, expires: now + retentionMs });
  }

  protected async add(pet: PetDraft): Promise<bigint> {
    await this.travel();
    const id = this.write(pet);
    await this.travel();
    return id;
  }

  protected async addOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    await this.travel();
    const now = this.disk.now();
    const outcome = this.remembered(request, now) ?? { outcome: "created", id: this.write(pet) };
    if (outcome.outcome === "created") this.remember(request, outcome.id, now);
    await this.travel();
    return outcome;
  }

  create(pet: PetDraft): Promise<bigint> {
    return this.#finish(this.add(pet));
  }

  createOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return this.#finish(this.addOnce(pet, request));
  }

  async get(id: bigint): Promise<string | undefined> {
    await this.travel();
    const pet = this.disk.pets.get(id);
    return pet && formatPet(pet);
  }

  async list({ after, limit, status }: PetQuery): Promise<PetPage> {
    await this.travel();
    const all = [...this.disk.pets.values()].filter((pet) => pet.id > after && (!status || pet.status === status));
    all.sort((one, other) => one.id < other.id ? -1 : 1);
    const page = all.slice(0, limit);
    const json = formatPets(page);
    return all.length > limit ? { json, next: page.at(-1)!.id } : { json };
  }

  check(): void {}

  async close(): Promise<void> {
    await Promise.allSettled(this.#begun);
  }

  #finish<T>(create: Promise<T>): Promise<T> {
    this.#begun.add(create);
    const end = () => void this.#begun.delete(create);
    create.then(end, end);
    return create;
  }
}
