/** The importer on SQLite, and how a source is recognized. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { importRecords } from "../../../lib/server/transfer/import_records.ts";
import type { ImportChunk, PetImporter } from "../../../lib/stores/pet_importer.ts";
import { openSqliteImporter } from "../../../lib/stores/sqlite/importer.ts";
import { SqliteStore } from "../../../lib/stores/sqlite/store.ts";
import type { PetStore } from "../../../mod.ts";
import { withTempFolder } from "../../support/temp.ts";
import { makeDrafts, toNdjson } from "../../support/server/pet_files.ts";

function withStore(run: (store: PetStore, open: () => PetImporter) => Promise<void>): Promise<void> {
  return withTempFolder(async (folder) => {
    const path = join(folder, "pets.db");
    await using store = SqliteStore.open(path, "same-thread");
    await run(store, () => openSqliteImporter(path));
  });
}

async function importBlocks(blocks: Iterable<Uint8Array>, importer: PetImporter) {
  const options = { format: "ndjson", copy: 1, importer, skipsBad: false } as const;
  const parts = await Array.fromAsync(importRecords(ReadableStream.from(blocks), options));
  const sum = (name: "added" | "known") => parts.reduce((total, part) => total + part[name], 0);
  return { added: sum("added"), known: sum("known") };
}

const drafts = makeDrafts(250);
const CHUNK: ImportChunk = { parent: "p".repeat(43), digest: "a".repeat(43), records: 300, pets: drafts };

test("a chunk is not added if another importer was faster", () =>
  withStore(async (store, open) => {
    const [one, other] = [open(), open()];
    assert.equal(await one.add(CHUNK, 0), true);
    assert.equal(await other.add({ ...CHUNK, digest: "b".repeat(43) }, 0), false);
    assert.equal(await store.get(251n), undefined);
    // Another source with the same beginning.
    assert.equal(await other.add({ ...CHUNK, digest: "b".repeat(43) }, 1), true);
    assert.notEqual(await store.get(500n), undefined);
    await one.close();
    await other.close();
  }));

function* blocksOf(text: string, length: number): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

test("a source is known, however its bytes arrive, and with records that fill the memory for reading ahead", () =>
  withStore(async (_, open) => {
    const importer = open();
    const long = '{"name":"Rex","categoryId":7,"colour":"'.padEnd(900_000, "x") + '"}\n';
    for (const [text, count] of [[toNdjson(makeDrafts(5_001)), 5_001], [long.repeat(40), 40]] as const) {
      for (const [i, length] of [65_536, 1_000_003, 100_000_000].entries()) {
        const { added, known } = await importBlocks(blocksOf(text, length), importer);
        assert.deepEqual([added, known], i === 0 ? [count, 0] : [0, count]);
      }
    }
    await importer.close();
  }));
