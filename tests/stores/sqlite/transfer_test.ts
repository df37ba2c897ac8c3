/** Imports and exports of an SQLite file, without the program: tests/server/transfer has the commands. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { ImportChunk } from "../../../lib/stores/pet_importer.ts";
import { exportDatabase } from "../../../lib/stores/sqlite/exporter.ts";
import { openSqliteImporter } from "../../../lib/stores/sqlite/importer.ts";
import { type PetDraft, type PetStatus, StoreUnavailableError } from "../../../lib/stores/store.ts";
import { execute, query, REX, withPath } from "./support.ts";

const STATUSES: PetStatus[] = ["available", "pending", "sold"];
const PETS: PetDraft[] = Array.from({ length: 1200 }, (_, i) => ({
  name: `"Rex", ${i}`,
  categoryId: 2n ** 63n - 1n - BigInt(i),
  status: STATUSES[i % 3]!,
}));

function chunk(parts: Partial<ImportChunk> = {}): ImportChunk {
  return { parent: "p".repeat(43), digest: "a".repeat(43), records: 1300, pets: PETS, ...parts };
}

test("an importer adds a chunk completely, once, and in order, and knows which chunks follow one", () =>
  withPath(async (path) => {
    const importer = openSqliteImporter(path);
    const { parent } = chunk();
    assert.equal(await importer.isEmpty(), true);
    assert.deepEqual(await importer.followers(parent), []);
    assert.equal(await importer.add(chunk(), 0), true);
    assert.equal(await importer.isEmpty(), false);
    // Another importer was faster.
    const other = chunk({ digest: "b".repeat(43), records: 2, pets: [REX] });
    assert.equal(await importer.add(other, 0), false);
    assert.equal(await importer.add(other, 1), true);
    assert.equal(await importer.add(chunk({ digest: "c".repeat(43), records: 1, pets: [] }), 2), true);
    const refused = chunk({ parent: "x", pets: [REX, { ...REX, status: "lost" as PetStatus }] });
    assert.throws(() => importer.add(refused, 0));
    await importer.close();
    assert.ok(!existsSync(`${path}-wal`));
    const followers = query(path, `SELECT digest, records, pets FROM imports WHERE parent = '${parent}'`);
    assert.deepEqual(followers, [
      { digest: "a".repeat(43), records: 1300, pets: 1200 },
      { digest: "b".repeat(43), records: 2, pets: 1 },
      { digest: "c".repeat(43), records: 1, pets: 0 },
    ]);
    const names = query(path, "SELECT name FROM pets ORDER BY id").map(({ name }) => name);
    assert.deepEqual(names, [...PETS, REX].map(({ name }) => name));
    const again = openSqliteImporter(path);
    assert.deepEqual((await again.followers(parent)).map((known) => ({ ...known })), followers);
    assert.deepEqual(await again.followers("x"), []);
    await again.close();
  }));

test("an importer writes nothing to a file that was moved", () =>
  withPath(async (path) => {
    const importer = openSqliteImporter(path);
    renameSync(path, `${path}.moved`);
    assert.throws(() => importer.add(chunk(), 0), StoreUnavailableError);
    await importer.close();
  }));

test("an export has every pet exactly, in order of id, negative ids too, and tells how far it is", () =>
  withPath(async (path) => {
    const importer = openSqliteImporter(path);
    await importer.add(chunk(), 0);
    await importer.close();
    execute(path, "INSERT INTO pets VALUES (-5, 'first', 1, 0)");
    const rows = [{ id: -5, name: "first", categoryId: 1n, status: "available" }]
      .concat(PETS.map((pet, i) => ({ id: i + 1, ...pet })));
    const lines = {
      ndjson: rows.map(({ id, name, categoryId, status }) =>
        `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`
      ),
      csv: rows.map(({ id, name, categoryId, status }) =>
        `${id},"${name.replaceAll('"', '""')}",${categoryId},${status}`
      ),
    };
    for (const format of ["ndjson", "csv"] as const) {
      const written: string[] = [];
      const told: [number, number][] = [];
      await exportDatabase(path, format, (text, pets, share) => {
        written.push(text);
        told.push([pets, share]);
        return Promise.resolve();
      });
      assert.deepEqual(written.join("\n").split("\n"), lines[format]);
      assert.deepEqual(told, [[1000, 999 / 1200], [201, 1]]);
      await assert.rejects(exportDatabase(path, format, () => Promise.reject(new Error("full"))), /^Error: full$/);
    }
    writeFileSync(`${path}.text`, "x".repeat(5000));
    execute(`${path}.other`, "CREATE TABLE pets (id, name, category_id, status)");
    for (const other of ["none", "text", "other"]) {
      await assert.rejects(exportDatabase(`${path}.${other}`, "csv", () => Promise.resolve()), StoreUnavailableError);
    }
  }));

test("an export says that a file is corrupt, also where it has begun to write", () =>
  withPath(async (path) => {
    const importer = openSqliteImporter(path);
    await importer.add(chunk(), 0);
    await importer.close();
    const bytes = readFileSync(path);
    const damaged = bytes.indexOf('"Rex", 1100');
    bytes.fill(0xff, damaged - damaged % 4096, damaged);
    writeFileSync(path, bytes);
    let written = 0;
    const write = (_: string, pets: number) => Promise.resolve(void (written += pets));
    await assert.rejects(exportDatabase(path, "csv", write), /^StoreUnavailableError: .* is corrupt/);
    assert.equal(written, 1000);
  }));

test("an export of no pets is empty", () =>
  withPath(async (path) => {
    await openSqliteImporter(path).close();
    await exportDatabase(path, "csv", () => assert.fail("There is nothing to write"));
  }));
