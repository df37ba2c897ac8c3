/** Imports and exports of an SQLite file, without the program: tests/server/transfer has the commands. */

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { exportDatabase, importPets } from "../../../lib/stores/sqlite/transfer.ts";
import { StoreUnavailableError } from "../../../lib/stores/store.ts";
import { execute, query, REX, test, usingStore } from "./support.ts";

const PETS = Array.from({ length: 1200 }, (_, i) => ({ ...REX, name: `"Rex", ${i}` }));

const never = new AbortController().signal;

test.path("an import that is stopped leaves nothing, also while it waits for another program, and so does one whose file is moved", async (path) => {
  await usingStore(path, () => {});
  const stop = new AbortController();
  const stopped = async () => {
    const imported = importPets(path, PETS, stop.signal);
    stop.abort(new Error("stopped"));
    await assert.rejects(imported, /^Error: stopped$/);
  };
  await stopped();
  {
    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    await stopped();
  }
  const moved = importPets(path, PETS, never);
  renameSync(path, `${path}.moved`);
  await assert.rejects(moved, StoreUnavailableError);
  renameSync(`${path}.moved`, path);
  await importPets(path, PETS.slice(0, 1), never);
  assert.deepEqual(query(path, "SELECT count(*) AS count FROM pets"), [{ count: 1 }]);
});

test.path("an export begins with negative ids, tells how far it is, and ends with the error of its reader", async (path) => {
  await importPets(path, PETS, never);
  execute(path, "INSERT INTO pets VALUES (-5, 'first', 1, 0)");
  const told: unknown[] = [];
  await exportDatabase(path, (text, pets) => Promise.resolve(void told.push([text.split("\n")[0], pets])));
  assert.deepEqual(told, [
    ['{"id":-5,"name":"first","categoryId":1,"status":"available"}', 1000],
    [`{"id":1000,"name":"\\"Rex\\", 999","categoryId":9223372036854775807,"status":"sold"}`, 201],
  ]);
  const error = new Error("full");
  await assert.rejects(exportDatabase(path, () => Promise.reject(error)), error);
});
