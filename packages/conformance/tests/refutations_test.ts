/** The contract finds wrong stores. Each breaks one guarantee in a way that occurs in real stores. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ContractError, storeCases, type StoreFixture } from "../mod.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft, PetPage, PetQuery } from "../../../lib/stores/store.ts";
import type { StoreGuarantee } from "../lib/guarantees.ts";
import { Disk, ReferenceStore } from "../../../tests/contract/reference_store.ts";

/** Takes the id first, like a plain sequence of a database. So a pet may become visible after one with a greater id. */
class BareSequence extends ReferenceStore {
  protected override async add(pet: PetDraft): Promise<bigint> {
    const id = ++this.disk.last;
    await this.delay();
    this.disk.pets.set(id, { id, ...pet });
    return id;
  }
}

/** Stores the pet, and then the record of the request. */
class RecordLater extends ReferenceStore {
  protected override async addOnce(pet: PetDraft, request: IdempotentRequest): Promise<IdempotentOutcome> {
    const known = this.remembered(request, this.disk.now());
    if (known) return known;
    const id = await this.add(pet);
    this.remember(request, id, this.disk.now());
    return { outcome: "created", id };
  }
}

/** Measures the expiry of requests with the clock of its own server. */
class OwnClock extends ReferenceStore {
  protected override remembered(request: IdempotentRequest): IdempotentOutcome | undefined {
    return super.remembered(request, Date.now());
  }

  protected override remember(request: IdempotentRequest, id: bigint): void {
    super.remember(request, id, Date.now());
  }
}

/** Acknowledges a pet before it has stored it. */
class EarlyResponse extends ReferenceStore {
  protected override add(pet: PetDraft): Promise<bigint> {
    const id = ++this.disk.last;
    this.delay().then(() => this.disk.pets.set(id, { id, ...pet }), () => {});
    return Promise.resolve(id);
  }
}

/** Assumes that another page follows each full page. */
class FullPage extends ReferenceStore {
  override async list(query: PetQuery): Promise<PetPage> {
    const { json } = await super.list(query);
    const pets = JSON.parse(json) as { id: number }[];
    return pets.length === query.limit ? { json, next: BigInt(pets.at(-1)!.id) } : { json };
  }
}

const WRONG: [Store: typeof ReferenceStore, guarantee: StoreGuarantee][] = [
  [BareSequence, "order"],
  [RecordLater, "idempotency"],
  [OwnClock, "idempotency"],
  [EarlyResponse, "concurrency"],
  [FullPage, "paging"],
];

function fixtureFor(Store: typeof ReferenceStore, parts: Partial<StoreFixture> = {}): StoreFixture {
  const disks = new Map<string, Disk>();
  const diskOf = (namespace: string) => {
    const disk = disks.get(namespace) ?? new Disk();
    disks.set(namespace, disk);
    return disk;
  };
  return {
    open: (namespace) => new Store(diskOf(namespace)),
    crash: (namespace) => void diskOf(namespace).crashes++,
    sharing: "machines",
    ...parts,
  };
}

test("the contract finds no fault in a correct store", async () => {
  for (const { skip, guarantee, name, run } of await storeCases(fixtureFor(ReferenceStore))) {
    assert.ok(!skip || /^the store has no (changes|checkWrites|keys)$/.test(skip), `${guarantee}, ${name}: ${skip}`);
    if (!skip) await run();
  }
});

for (const [Store, guarantee] of WRONG) {
  test(`the contract refutes a store with the defect ${Store.name}, and names the guarantee: ${guarantee}`, async () => {
    const errors: unknown[] = [];
    for (const each of await storeCases(fixtureFor(Store))) {
      if (each.guarantee === guarantee && !each.skip) await each.run().catch((error) => errors.push(error));
    }
    assert.ok(errors.length > 0, "no case failed");
    for (const error of errors) {
      assert.ok(error instanceof ContractError && error.cause instanceof Error);
      assert.ok(error.message.startsWith(`A store must keep this guarantee (${guarantee}): `), error.message);
    }
  });
}

test("a crash alone refutes a store that stores a pet and then the record of its request", async () => {
  // The case uses one server at a time, and requests with different keys.
  const fixture = fixtureFor(RecordLater, { sharing: "restarts" });
  const all = await storeCases(fixture);
  const crash = all.find(({ name }) => name.startsWith("creates one pet for a request that a crash"));
  await assert.rejects(async () => await crash!.run(), ContractError);
});

test("each case removes its namespace, and its first error is thrown, also if it cannot be removed or its store cannot be closed", async () => {
  const removed: string[] = [];
  const refuse = () => Promise.reject(new Error("ECONNREFUSED"));
  const remove = (namespace: string) => {
    removed.push(namespace);
    return refuse();
  };
  const runWith = async (Store: typeof ReferenceStore, parts: Partial<StoreFixture>) => {
    const cases = await storeCases(fixtureFor(Store, parts));
    await cases.find(({ name }) => name.startsWith("gives the last id"))!.run();
  };
  await assert.rejects(runWith(FullPage, { remove }), ContractError);
  // It was opened once more, to see which members the store has.
  assert.equal(new Set(removed).size, 2);
  await assert.rejects(runWith(ReferenceStore, { remove }), /^Error: ECONNREFUSED$/);
  const open = () => Object.assign(new ReferenceStore(new Disk()), { close: refuse });
  await assert.rejects(runWith(ReferenceStore, { open }), /guarantee \(service\): .*\n.*ECONNREFUSED$/);
});

test("cases that the store's members or its fixture rule out are skipped, with the reason", async () => {
  const { sharing: _, crash: __, ...alone } = fixtureFor(ReferenceStore);
  const bare = () => Object.assign(new ReferenceStore(new Disk()), { createOnce: undefined });
  const fixture = { ...alone, open: bare as unknown as StoreFixture["open"], sharing: "none" } as const;
  assert.deepEqual(
    new Set((await storeCases(fixture)).map(({ skip }) => skip)),
    new Set([
      false,
      "several stores cannot share the pets",
      "the pets do not survive a restart",
      "the store has no changes",
      "the store has no checkWrites",
      "the store has no createOnce",
      "the store has no keys",
      "the fixture has no crash()",
    ]),
  );
});
