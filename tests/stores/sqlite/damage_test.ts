/** Damage that SQLite does not notice while it reads, and the check that finds it. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import { withTempFolder } from "../../support/temp.ts";

const PAGE = 4096;

/** How many pets a store shows of a file. */
async function countPets(path: string): Promise<number> {
  const store = createSqliteStore(path);
  let count = 0;
  for (let after: bigint | undefined = 0n; after !== undefined;) {
    const { json, next }: { json: string; next?: bigint } = await store.list({ after, limit: 100 });
    count += JSON.parse(json).length;
    after = next;
  }
  await store.close();
  return count;
}

function quickCheck(path: string): unknown[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const lines = db.prepare("PRAGMA quick_check").all().map((row) => row["quick_check"]);
  db.close();
  return lines;
}

test("pets can be missing from a damaged file without an error, and PRAGMA quick_check finds that", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    const store = createSqliteStore(path);
    const name = "x".repeat(200);
    for (let count = 0; count < 400; count++) await store.create({ name, categoryId: 7n, status: "sold" });
    await store.close();
    assert.deepEqual(quickCheck(path), ["ok"]);
    const db = new DatabaseSync(path, { readOnly: true });
    const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'pets'").get()?.["rootpage"]);
    db.close();
    const bytes = readFileSync(path);
    const header = (root - 1) * PAGE;
    assert.equal(bytes[header], 5, "the root is no inner page");
    // One cell fewer: the inner page has forgotten the last but one of its leaves.
    bytes.writeUInt16BE(bytes.readUInt16BE(header + 3) - 1, header + 3);
    writeFileSync(path, bytes);
    const shown = await countPets(path);
    assert.ok(shown > 300 && shown < 400, `${shown} pets are shown`);
    assert.notDeepEqual(quickCheck(path), ["ok"]);
  }));
