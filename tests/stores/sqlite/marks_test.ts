/** A file whose marks or ids another program has changed. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { exportDatabase } from "../../../lib/stores/sqlite/exporter.ts";
import { inspectDatabase } from "../../../lib/stores/sqlite/inspection.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { assertRefused, createMany, execute, query, request, REX, test, usingStore } from "./support.ts";

const UNMARKED =
  /has the tables of a petstore without the marks.*PRAGMA application_id = \d+; PRAGMA user_version = \d+$/;

/** What the shell's `.dump` copies: the schema and the rows, and no setting of the file. */
function dump(from: string, to: string): void {
  const tables = query(
    from,
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'trigger'",
  );
  const db = new DatabaseSync(to);
  db.exec(`ATTACH '${from}' AS source`);
  for (const { sql } of tables) db.exec(String(sql));
  for (const table of ["pets", "idempotency_keys", "api_keys"]) {
    db.exec(`INSERT INTO ${table} SELECT * FROM source.${table}`);
  }
  db.close();
}

test.path("a copy by .dump is refused with the marks that it lacks, and opens with them", async (path) => {
  const original = `${path}.original`;
  await usingStore(original, (store) => createMany(store, 3));
  dump(original, path);
  assertRefused(path, UNMARKED);
  await assert.rejects(inspectDatabase(path), UNMARKED);
  const [, marks = ""] = /by: (PRAGMA.*)$/.exec(await inspectDatabase(path).then(String, String)) ?? [];
  execute(path, marks);
  await usingStore(path, async (store) => assert.equal(await store.create(REX), 4n));
});

for (const version of [0, -1]) {
  test.path(`a file with pets is neither empty nor sound after its version has been set to ${version}`, async (path) => {
    await usingStore(path, (store) => createMany(store, 3));
    execute(path, `PRAGMA user_version = ${version}`);
    assertRefused(path, UNMARKED);
    await assert.rejects(inspectDatabase(path), UNMARKED);
    await assert.rejects(exportDatabase(path, () => Promise.resolve()), UNMARKED);
  });
}

for (const last of [2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n]) {
  test.path(`a file whose last id is ${last} is not sound`, async (path) => {
    await usingStore(path, (store) => createMany(store, 3));
    execute(path, `UPDATE sqlite_sequence SET seq = ${last}`);
    const { faults } = await inspectDatabase(path);
    assert.deepEqual(faults, [`No pet can be added: the last id is ${last}, and ids end at 9007199254740991`]);
  });

  test.other(`creates are refused when the last id is ${last}, and reads go on`, async (store, other) => {
    await store.create(REX);
    other.exec(`UPDATE sqlite_sequence SET seq = ${last}`);
    const refused = (error: unknown) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, /ids end at 9007199254740991; another program has raised it$/);
      return true;
    };
    await assert.rejects(store.create(REX), refused);
    await assert.rejects(store.createOnce(REX, request("a")), refused);
    assert.notEqual(store.get(1n), undefined);
    other.exec("UPDATE sqlite_sequence SET seq = 1");
    assert.equal(await store.create(REX), 2n);
  });
}

test.other("the last ids before the end are given", async (store, other) => {
  other.exec(`INSERT INTO sqlite_sequence VALUES ('pets', ${2n ** 53n - 3n})`);
  assert.equal(await store.create(REX), 2n ** 53n - 2n);
  assert.equal(await store.create(REX), 2n ** 53n - 1n);
  await assert.rejects(store.create(REX), StoreUnavailableError);
  assert.match(store.get(2n ** 53n - 1n)!, /"id":9007199254740991,/);
});

test.other("a last id that is no integer counts as SQLite itself counts it", async (store, other, path) => {
  await store.create(REX);
  for (const [last, id] of [["5.5", 6n], ["'x'", 7n], ["NULL", 8n]] as const) {
    other.exec(`UPDATE sqlite_sequence SET seq = ${last}`);
    assert.deepEqual((await inspectDatabase(path)).faults, []);
    assert.equal(await store.create(REX), id);
  }
});
