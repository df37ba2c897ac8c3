/** What becomes of the errors of D1, by the messages that Cloudflare documents. */

import assert from "node:assert/strict";
import test from "node:test";
import { createD1Store, createDurableObjectStore, type D1Binding, d1Schema } from "../../lib/d1/d1_store.ts";
import { formatPet, type PetDraft, StoreUnavailableError } from "@petstore/petstore/store";
import { draft, request } from "../../../conformance/lib/store/case.ts";
import { openStorage } from "./support.ts";

const PET = draft(), REQUEST = request("k");

/** A database that has its tables, and whose later calls fail. */
function failing(thrown: Error): { db: D1Binding; calls(): number } {
  let calls = 0;
  const call = () => {
    if (calls++ === 0) {
      return Promise.resolve({ results: [{ version: 1 }] });
    }
    return Promise.reject(thrown);
  };
  const statement: ReturnType<D1Binding["prepare"]> = { bind: () => statement, all: call };
  return { db: { prepare: () => statement, batch: async () => [await call()] }, calls: () => calls };
}

/** The messages of outages, and whether the pet of a create may have been stored. */
const OUTAGES: [message: string, mayBeStored: boolean][] = [
  ["Network connection lost.", true],
  ["D1 DB storage operation exceeded timeout which caused object to be reset.", true],
  ["disk I/O error: SQLITE_IOERR", true],
  ["D1 DB is overloaded. Requests queued for too long.", false],
  ["database or disk is full: SQLITE_FULL", false],
  ["no such table: petstore_pets: SQLITE_ERROR", false],
  ["CHECK constraint failed: length(name) < 10: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)", false],
];

for (const [message, mayBeStored] of OUTAGES) {
  test(`the D1 store is unavailable after "${message}", repeats no create, and says whether the pet may have been stored`, async () => {
    const thrown = new Error(`D1_ERROR: ${message}`);
    const creates = [
      (db: D1Binding) => createD1Store(db).create(PET),
      (db: D1Binding) => createD1Store(db).createOnce!(PET, REQUEST),
    ];
    const works = [
      ...creates,
      (db: D1Binding) => createD1Store(db).get(1n),
      (db: D1Binding) => createD1Store(db).list({ after: 0n, limit: 1 }),
      (db: D1Binding) => createD1Store(db).check(),
      (db: D1Binding) => createD1Store(db).checkWrites!(),
      (db: D1Binding) => createD1Store(db).keys.list(),
    ];
    for (const work of works) {
      const { db, calls } = failing(thrown);
      await assert.rejects(async () => await work(db), (error) => {
        assert.ok(error instanceof StoreUnavailableError);
        const isUncertain = mayBeStored && (creates as unknown[]).includes(work);
        const text = `D1: ${message}${isUncertain ? "; the pet may have been stored" : ""}`;
        assert.deepEqual([error.message, error.cause, error.mayBeStored], [text, thrown, isUncertain]);
        return true;
      });
      assert.equal(calls(), 2);
    }
  });
}

test("the D1 store reports an invalid statement or value as what it is", async () => {
  const defects = [
    'D1_ERROR: near "SELEC": syntax error at offset 0: SQLITE_ERROR',
    "D1_TYPE_ERROR: Type 'bigint' not supported for value '5'",
  ].map((message) => new Error(message));
  for (const thrown of [...defects, new TypeError("db.prepare is not a function")]) {
    await assert.rejects(async () => await createD1Store(failing(thrown).db).create(PET), thrown);
  }
});

test("the D1 store refuses a pet that it could only store wrongly", () => {
  const { db } = failing(new Error("It was not sent"));
  const wrong = [{ name: 7 }, { categoryId: 7 }, { categoryId: 2n ** 63n }, { categoryId: -(2n ** 63n) - 1n }, {
    status: "lost",
  }];
  for (const parts of wrong) {
    const pet = { ...PET, ...parts } as PetDraft;
    assert.throws(() => createD1Store(db).create(pet), TypeError);
    assert.throws(() => createD1Store(db).createOnce!(pet, REQUEST), TypeError);
  }
});

test("createD1Store() and createDurableObjectStore() refuse what is no database, and a session", () => {
  const { db } = failing(new Error());
  const session = { ...db, getBookmark: () => null };
  for (const given of [undefined, null, {}, "DB", openStorage(), session]) {
    assert.throws(() => createD1Store(given as D1Binding), { name: "TypeError", message: /^createD1Store\(\) needs/ });
  }
  for (const given of [undefined, null, {}, db, { ...openStorage(), sql: undefined }]) {
    assert.throws(() => createDurableObjectStore(given as ReturnType<typeof openStorage>), {
      name: "TypeError",
      message: /^createDurableObjectStore\(\) needs ctx\.storage/,
    });
  }
});

test("a Durable Object's database without a response makes the store unavailable", () => {
  const storage = openStorage();
  storage.transactionSync = () => {
    throw new Error("Internal error in Durable Object storage caused object to be reset.");
  };
  assert.throws(() => createDurableObjectStore(storage).get(1n), StoreUnavailableError);
});

test("d1Schema() is a statement on each of its paragraphs that may run again", () => {
  const storage = openStorage();
  for (let run = 0; run < 2; run++) {
    for (const sql of d1Schema().split(";\n").filter((sql) => sql !== "")) storage.sql.exec(sql).toArray();
  }
  assert.equal(createDurableObjectStore(storage).create(PET), 1n);
});

test("a store whose tables are lost is unavailable once, and then makes them anew", () => {
  const storage = openStorage();
  const store = createDurableObjectStore(storage);
  for (let round = 0; round < 2; round++) {
    assert.equal(store.create(PET), 1n);
    for (const table of ["schema", "pets", "requests", "keys"]) {
      storage.sql.exec(`DROP TABLE petstore_${table}`).toArray();
    }
    assert.throws(() => store.get(1n), StoreUnavailableError);
  }
  assert.equal(store.get(1n), undefined);
});

test("a store refuses the tables of a later release at each use, and those of its own once they are back", () => {
  const storage = openStorage();
  const running = createDurableObjectStore(storage);
  running.create(PET);
  const store = createDurableObjectStore(storage);
  const setVersion = (version: number) => storage.sql.exec("UPDATE petstore_schema SET version = ?", version).toArray();
  setVersion(2);
  const refusal = { name: "StoreUnavailableError", message: /has version 2 of the tables, and this program knows 1/ };
  for (let use = 0; use < 2; use++) {
    for (const work of [() => store.get(1n), () => store.create(PET), () => store.check()]) {
      assert.throws(work, refusal);
    }
    // One that was running before goes on reading, and writes nothing.
    assert.equal(running.get(1n), formatPet({ id: 1n, ...PET }));
    for (
      const work of [
        () => running.create(PET),
        () => running.createOnce!(PET, REQUEST),
        () => running.checkWrites!(),
      ]
    ) assert.throws(work, refusal);
  }
  setVersion(1);
  assert.equal(store.create(PET), 2n);
  assert.deepEqual(running.createOnce!(PET, REQUEST), { outcome: "created", id: 3n });
});

test("a store gives no id beyond 2^53 - 1, and adds no pet then", () => {
  const storage = openStorage();
  const store = createDurableObjectStore(storage);
  store.create(PET);
  storage.sql.exec("INSERT INTO petstore_pets VALUES (9007199254740990, 'of another program', 7, 0)").toArray();
  assert.equal(store.create(PET), 2n ** 53n - 1n);
  for (const last of ["9007199254740991", "9223372036854775807"]) {
    storage.sql.exec(`INSERT OR IGNORE INTO petstore_pets VALUES (${last}, 'of another program', 7, 0)`).toArray();
    assert.throws(() => store.create(PET), StoreUnavailableError);
    assert.throws(() => store.createOnce!(PET, REQUEST), StoreUnavailableError);
  }
  const [row] = storage.sql.exec("SELECT count(*) AS pets FROM petstore_pets").toArray();
  assert.deepEqual({ ...row as object }, { pets: 4 });
});
