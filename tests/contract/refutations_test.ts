/** The contract finds wrong stores: each breaks one promise in a way in which real stores have broken it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ContractError,
  httpCases,
  type OptionalMember,
  storeCases,
  type StoreFixture,
  type StoreGuarantee,
} from "../../lib/testing/testing.ts";
import type {
  IdempotentOutcome,
  IdempotentRequest,
  Pet,
  PetDraft,
  PetPage,
  PetQuery,
  StoreChanges,
} from "../../mod.ts";
import { Disk, PaperStore } from "./paper_store.ts";

/** Takes the id first, as a bare sequence of a database does. So a pet may become visible after one with a greater id. */
class BareSequence extends PaperStore {
  protected override async add(pet: PetDraft): Promise<bigint> {
    const id = ++this.disk.last;
    await this.travel();
    this.disk.pets.set(id, { id, ...pet });
    return id;
  }
}

/** Reads the last id, and writes the next one later. */
class LostUpdate extends PaperStore {
  protected override async add(pet: PetDraft): Promise<bigint> {
    const id = this.disk.last + 1n;
    await this.travel();
    this.disk.last = id;
    this.disk.pets.set(id, { id, ...pet });
    return id;
  }
}

/** Stores the pet, and then the record of the request. */
class RecordLater extends PaperStore {
  protected override async addOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    const known = this.remembered(request, this.disk.now());
    if (known) return known;
    const id = await this.add(pet);
    this.remember(request, id, this.disk.now());
    return { outcome: "created", id };
  }
}

/** Stores the record of the request, and then the pet. */
class RecordFirst extends PaperStore {
  protected override async addOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    const known = this.remembered(request, this.disk.now());
    if (known) return known;
    const id = ++this.disk.last;
    this.remember(request, id, this.disk.now());
    await this.travel();
    this.disk.pets.set(id, { id, ...pet });
    return { outcome: "created", id };
  }
}

/** Remembers requests by the clock of its server. */
class OwnClock extends PaperStore {
  protected override remembered(request: IdempotentRequest): IdempotentOutcome | undefined {
    return super.remembered(request, Date.now());
  }

  protected override remember(request: IdempotentRequest, id: bigint): void {
    super.remember(request, id, Date.now());
  }
}

/** Saves the last id when it is closed. */
class LateCounter extends PaperStore {
  #last = this.disk.last;

  protected override write(pet: PetDraft): bigint {
    const id = ++this.#last;
    this.disk.pets.set(id, { id, ...pet });
    return id;
  }

  override async close(): Promise<void> {
    await super.close();
    this.disk.last = this.#last;
  }
}

/** Acknowledges what it has not stored yet. */
class EarlyResponse extends PaperStore {
  protected override add(pet: PetDraft): Promise<bigint> {
    const id = ++this.disk.last;
    this.travel().then(() => this.disk.pets.set(id, { id, ...pet }), () => {});
    return Promise.resolve(id);
  }
}

/** Keeps an int64 as a JavaScript number. */
class RoundedNumbers extends PaperStore {
  protected override write(pet: PetDraft): bigint {
    return super.write({ ...pet, categoryId: BigInt(Number(pet.categoryId)) });
  }
}

/** Takes a full page for a page that others follow. */
class FullPage extends PaperStore {
  override async list(query: PetQuery): Promise<PetPage> {
    const { json } = await super.list(query);
    const pets = JSON.parse(json) as { id: number }[];
    return pets.length === query.limit ? { json, next: BigInt(pets.at(-1)!.id) } : { json };
  }
}

/** Leaves what it refuses. */
class HalfRefused extends PaperStore {
  protected override write(pet: PetDraft): bigint {
    this.disk.pets.set(this.disk.last + 1n, { id: this.disk.last + 1n, ...pet } satisfies Pet);
    return super.write(pet);
  }
}

/** Adds the pet to the list of its status later than to the others. */
class LateIndex extends PaperStore {
  readonly #listed = new Set<bigint>();

  protected override async add(pet: PetDraft): Promise<bigint> {
    const id = await super.add(pet);
    await new Promise((resolve) => setTimeout(resolve, 20));
    this.#listed.add(id);
    return id;
  }

  override async list(query: PetQuery): Promise<PetPage> {
    const { json } = await super.list(query);
    const pets = JSON.parse(json) as { id: number }[];
    const isWhole = query.status === undefined || pets.every(({ id }) => this.#listed.has(BigInt(id)));
    return isWhole ? await super.list(query) : { json: "[]" };
  }
}

/** Looks at the key alone while a request with it is under way. */
class SharedResponse extends PaperStore {
  readonly #underWay = new Map<string, Promise<IdempotentOutcome>>();

  protected override async addOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    const first = this.#underWay.get(request.key);
    if (first) return { ...await first, outcome: "replayed" } as IdempotentOutcome;
    const outcome = super.addOnce(pet, request);
    this.#underWay.set(request.key, outcome);
    return await outcome.finally(() => this.#underWay.delete(request.key));
  }
}

/** Takes milliseconds for seconds. */
class LongMemory extends PaperStore {
  protected override remember(request: IdempotentRequest, id: bigint, now: number): void {
    super.remember({ ...request, retentionMs: request.retentionMs * 1000 }, id, now);
  }
}

/** Copies some members of the pet of a request. */
class PartialCopy extends PaperStore {
  protected override addOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    return super.addOnce({ ...pet, status: "available" }, request);
  }
}

/** Counts what it adds itself, and not what other servers add. */
class OwnChanges extends PaperStore {
  #additions = 0;

  protected override write(pet: PetDraft): bigint {
    this.#additions++;
    return super.write(pet);
  }

  changes(): StoreChanges {
    return { additions: this.#additions, alterations: 0 };
  }
}

const WRONG: [Store: typeof PaperStore, promise: StoreGuarantee][] = [
  [BareSequence, "order"],
  [LostUpdate, "concurrency"],
  [RecordLater, "idempotency"],
  [RecordFirst, "idempotency"],
  [OwnClock, "idempotency"],
  [LateCounter, "durability"],
  [EarlyResponse, "concurrency"],
  [RoundedNumbers, "exactness"],
  [FullPage, "paging"],
  [HalfRefused, "atomicity"],
  [LateIndex, "atomicity"],
  [SharedResponse, "idempotency"],
  [LongMemory, "idempotency"],
  [PartialCopy, "idempotency"],
  [OwnChanges, "concurrency"],
];

const PAPER_LACKS: readonly OptionalMember[] = ["changes", "checkWrites", "keys"];

function subjectOf(Store: typeof PaperStore, parts: Partial<StoreFixture> = {}): StoreFixture {
  const disks = new Map<string, Disk>();
  const diskOf = (place: string) => {
    const disk = disks.get(place) ?? new Disk();
    disks.set(place, disk);
    return disk;
  };
  return {
    lacks: Store === OwnChanges ? PAPER_LACKS.filter((member) => member !== "changes") : PAPER_LACKS,
    open: (place) => new Store(diskOf(place)),
    crash: (place) => void diskOf(place).crashes++,
    sharing: "many machines",
    ...parts,
  };
}

test("the contract finds nothing in a store that keeps it", async () => {
  for (const { skip, promise, name, run } of storeCases(subjectOf(PaperStore))) {
    assert.ok(!skip || /^the store (has no ch|keeps no)/.test(skip), `${promise}, ${name}: ${skip}`);
    if (!skip) await run();
  }
});

for (const [Store, promise] of WRONG) {
  test(`the contract refutes a store with the defect ${Store.name}, and names the promise: ${promise}`, async () => {
    const told: unknown[] = [];
    for (const each of storeCases(subjectOf(Store))) {
      if (each.promise === promise && !each.skip) await each.run().catch((error) => told.push(error));
    }
    assert.ok(told.length > 0, "no case has failed");
    for (const error of told) {
      assert.ok(error instanceof ContractError && error.cause instanceof Error);
      assert.equal(error.promise, promise);
      assert.match(error.message, new RegExp(`^A store must keep this promise \\(${promise}\\): [a-z][^\\n]+\\.\\n`));
    }
  });
}

test("a crash alone refutes a store that stores a pet and then the record of its request", async () => {
  // One server at a time, and requests with different keys.
  const subject = subjectOf(RecordLater, { sharing: "restarts" });
  const crash = storeCases(subject).find(({ name }) => name.startsWith("makes one pet of a request that a crash"));
  await assert.rejects(async () => await crash!.run(), ContractError);
});

test("a failure of the subject is not taken for one of the store, and the first error counts", async () => {
  const refuse = () => Promise.reject(new Error("connect ECONNREFUSED"));
  const [first] = storeCases({ open: refuse, sharing: "none" });
  await assert.rejects(() => first!.run(), /^FixtureError: The subject's open\(\) has failed: connect ECONNREFUSED$/);
  const more = { open: () => new PaperStore(new Disk()), sharing: "none" } as const;
  await assert.rejects(() => storeCases(more)[0]!.run(), {
    name: "FixtureError",
    message: "The store lacks changes, checkWrites, keys, but its subject says nothing; if the store is right, " +
      'the subject needs lacks: ["changes","checkWrites","keys"]',
  });
  const [less] = storeCases({ ...more, lacks: [...PAPER_LACKS, "createOnce"] });
  await assert.rejects(() => less!.run(), /but its subject says changes, checkWrites, keys, createOnce; if/);
  const [other] = storeCases({ open: () => undefined as unknown as PaperStore, sharing: "none" });
  await assert.rejects(() => other!.run(), /^FixtureError: The subject's open\(\) gave no store$/);
  const removed: string[] = [];
  const broken = storeCases({
    ...subjectOf(FullPage),
    remove: (place) => {
      removed.push(place);
      throw new Error("cannot be removed");
    },
  }).find(({ name }) => name.startsWith("gives the last id"));
  await assert.rejects(() => broken!.run(), ContractError);
  assert.equal(removed.length, 1);
});

test("a subject says which cases do not apply", () => {
  const alone: StoreFixture = {
    open: () => new PaperStore(new Disk()),
    sharing: "none",
    lacks: [...PAPER_LACKS, "createOnce"],
  };
  const skipped = new Set(storeCases(alone).map(({ skip }) => skip));
  assert.deepEqual(
    [...skipped].sort(),
    [
      false,
      "one store has the pets alone",
      "the pets end with the store",
      "the store has no changes()",
      "the store has no checkWrites()",
      "the store has no createOnce()",
      "the store keeps no API keys",
      "the subject has no crash()",
    ].sort(),
  );
  const wrong = { open: () => new PaperStore(new Disk()), sharing: "all" } as unknown as StoreFixture;
  assert.throws(() => storeCases(wrong), /^TypeError: The sharing of a subject must be one of none, restarts/);
  assert.ok(httpCases(alone).some(({ skip }) => skip === "the store has no createOnce()"));
  assert.throws(() => storeCases({} as StoreFixture), /^TypeError: The subject must have a method open\(place\)/);
});
