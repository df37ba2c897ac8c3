/**
 * The store contract on the storage of a Durable Object, what becomes of the errors of D1, by the
 * messages that Cloudflare documents, and of tables that another program has changed. The storage
 * is made of node:sqlite. tests/heavy/edge has the real one, and D1.
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import {
  createD1Store,
  createDurableObjectStore,
  type D1Binding,
  d1Schema,
  type DurableObjectBinding,
} from "../lib/d1/d1_store.ts";
import { StoreUnavailableError } from "@petstore/petstore/store";
import { draft, request } from "../../conformance/lib/store/case.ts";
import { testStoreContract } from "../../../tests/contract/contracts.ts";

function openStorage(): DurableObjectBinding {
  const db = new DatabaseSync(":memory:");
  return {
    sql: { exec: (sql, ...values) => ({ toArray: () => db.prepare(sql).all(...values) }) },
    transactionSync(run) {
      db.exec("BEGIN");
      try {
        const result = run();
        db.exec("COMMIT");
        return result;
      } catch (error) {
        db.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

await testStoreContract([{
  name: "Durable Object (on node:sqlite)",
  open: () => createDurableObjectStore(openStorage()),
  sharing: "none",
  lacks: ["changes", "checkWrites"],
}]);

const PET = draft(), REQUEST = request("k");

/** A database that has its tables, and whose later calls fail. */
function failing(thrown: Error): { db: D1Binding; calls(): number } {
  let calls = 0;
  const call = () => calls++ === 0 ? Promise.resolve({ results: [{ version: 1 }] }) : Promise.reject(thrown);
  const statement: ReturnType<D1Binding["prepare"]> = { bind: () => statement, all: call };
  return { db: { prepare: () => statement, batch: async () => [await call()] }, calls: () => calls };
}

/** The messages of outages, and whether the pet of a create may have been stored. */
const OUTAGES: [message: string, mayBeStored: boolean][] = [
  ["Network connection lost.", true],
  ["disk I/O error: SQLITE_IOERR", true],
  ["D1 DB is overloaded. Requests queued for too long.", false],
  ["database or disk is full: SQLITE_FULL", false],
  ["no such table: petstore_pets: SQLITE_ERROR", false],
];

for (const [message, mayBeStored] of OUTAGES) {
  test(`the D1 store is unavailable after "${message}", repeats no create, and says whether the pet may have been stored`, async () => {
    const thrown = new Error(`D1_ERROR: ${message}`);
    const works = [
      (db: D1Binding) => createD1Store(db).create(PET),
      (db: D1Binding) => createD1Store(db).createOnce!(PET, REQUEST),
      (db: D1Binding) => createD1Store(db).list({ after: 0n, limit: 1 }),
    ];
    for (const [i, work] of works.entries()) {
      const { db, calls } = failing(thrown);
      const isUncertain = mayBeStored && i < 2;
      await assert.rejects(async () => await work(db), {
        name: "StoreUnavailableError",
        message: `D1: ${message}${isUncertain ? "; the pet may have been stored" : ""}`,
        cause: thrown,
        mayBeStored: isUncertain,
      });
      assert.equal(calls(), 2);
    }
  });
}

test("createD1Store() and createDurableObjectStore() refuse what is no database, and a session", () => {
  const { db } = failing(new Error());
  for (const given of [undefined, openStorage(), { ...db, getBookmark: () => null }]) {
    assert.throws(() => createD1Store(given as D1Binding), TypeError);
  }
  assert.throws(() => createDurableObjectStore(db as unknown as DurableObjectBinding), TypeError);
});

test("d1Schema() is a statement on each of its paragraphs that may run again", async () => {
  const storage = openStorage();
  for (let run = 0; run < 2; run++) {
    for (const sql of d1Schema().split(";\n").filter(Boolean)) storage.sql.exec(sql).toArray();
  }
  assert.equal(await createDurableObjectStore(storage).create(PET), 1n);
});

test("a store whose tables are lost is unavailable once, and then makes them anew", async () => {
  const storage = openStorage();
  const store = createDurableObjectStore(storage);
  await store.create(PET);
  for (const table of ["schema", "pets", "requests", "keys"]) {
    storage.sql.exec(`DROP TABLE petstore_${table}`).toArray();
  }
  await assert.rejects(async () => await store.get(1n), StoreUnavailableError);
  assert.equal(await store.create(PET), 1n);
});

test("a store refuses the tables of a later release", async () => {
  const storage = openStorage();
  await createDurableObjectStore(storage).create(PET);
  storage.sql.exec("UPDATE petstore_schema SET version = 2").toArray();
  const message = /has version 2 of the tables, and this program knows 1/;
  await assert.rejects(async () => await createDurableObjectStore(storage).get(1n), { message });
});

test("a store gives no id beyond 2^53 - 1, and adds no pet then", async () => {
  const storage = openStorage();
  const store = createDurableObjectStore(storage);
  await store.create(PET);
  storage.sql.exec("INSERT INTO petstore_pets VALUES (9007199254740990, 'of another program', 7, 0)").toArray();
  assert.equal(await store.create(PET), 2n ** 53n - 1n);
  await assert.rejects(async () => await store.create(PET), StoreUnavailableError);
  await assert.rejects(async () => await store.createOnce!(PET, REQUEST), StoreUnavailableError);
  assert.equal(storage.sql.exec("SELECT id FROM petstore_pets").toArray().length, 3);
});

const OTHER = "INSERT INTO petstore_pets (name, category_id, status) VALUES ('other', 1, 1)";

/** What a trigger can do to a create, and whether a create, and one with an Idempotency-Key, are then refused. */
const TRIGGERS: [what: string, sql: string, isRefused: boolean, isRefusedOnce: boolean][] = [
  ["ignores the pet", "BEFORE INSERT ON petstore_pets BEGIN SELECT raise(IGNORE); END", true, true],
  ["adds a pet after it", `AFTER INSERT ON petstore_pets BEGIN ${OTHER}; END`, false, false],
  ["adds a pet before it", `BEFORE INSERT ON petstore_pets BEGIN ${OTHER}; END`, false, true],
  ["deletes the pet", "AFTER INSERT ON petstore_pets BEGIN DELETE FROM petstore_pets; END", true, true],
  ["gives it another id", "AFTER INSERT ON petstore_pets BEGIN UPDATE petstore_pets SET id = 1000; END", true, true],
  ["ignores the request", "BEFORE INSERT ON petstore_requests BEGIN SELECT raise(IGNORE); END", false, true],
];

for (const [what, sql, isRefused, isRefusedOnce] of TRIGGERS) {
  test(`a trigger of another program that ${what} makes no create answer with another pet`, async () => {
    const storage = openStorage();
    const store = createDurableObjectStore(storage);
    await store.check();
    storage.sql.exec(`CREATE TRIGGER strange ${sql}`).toArray();
    const nameOf = async (id: bigint) => JSON.parse((await store.get(id))!).name;
    const create = async () => await nameOf(await store.create(draft({ name: "Plain" })));
    const createOnce = async () => {
      const outcome = await store.createOnce!(draft({ name: "Once" }), request("k"));
      return await nameOf((outcome as { id: bigint }).id);
    };

    if (isRefused) await assert.rejects(create, StoreUnavailableError);
    else assert.equal(await create(), "Plain");
    if (isRefusedOnce) await assert.rejects(createOnce, StoreUnavailableError);
    else assert.equal(await createOnce(), "Once");
    storage.sql.exec("DROP TRIGGER strange").toArray();
    assert.equal(await createOnce(), "Once");
  });
}
