/** A file whose marks or ids another program has changed. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { inspectDatabase } from "../../../lib/stores/sqlite/inspection.ts";
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
  db.exec("INSERT INTO pets SELECT * FROM source.pets");
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

test.path("a file with pets is neither empty nor sound after its version has been set to 0", async (path) => {
  await usingStore(path, (store) => createMany(store, 3));
  execute(path, "PRAGMA user_version = 0");
  assertRefused(path, UNMARKED);
  await assert.rejects(inspectDatabase(path), UNMARKED);
});

for (const last of [2n ** 53n - 1n, 2n ** 63n - 1n]) {
  test.other(
    `creates are refused when the last id is ${last}, and reads go on`,
    async (store, other) => {
      await store.create(REX);
      other.exec(`UPDATE sqlite_sequence SET seq = ${last}`);
      const refused = {
        name: "StoreUnavailableError",
        message: /ids end at 9007199254740991; another program has raised it$/,
      };
      await assert.rejects(store.create(REX), refused);
      await assert.rejects(store.createOnce(REX, request("a")), refused);
      assert.notEqual(store.get(1n), undefined);
      other.exec(`UPDATE sqlite_sequence SET seq = ${2n ** 53n - 2n}`);
      assert.equal(await store.create(REX), 2n ** 53n - 1n);
    },
  );
}
