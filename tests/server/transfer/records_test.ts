/** How bytes are divided into records, and CSV into fields; and how a source is recognized. */

import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parseCsvRecord } from "../../../lib/server/transfer/csv.ts";
import { openSource } from "../../../lib/server/transfer/files.ts";
import { importRecords } from "../../../lib/server/transfer/import_records.ts";
import { findCsvEnd, findLineEnd, readRecords, textOf } from "../../../lib/server/transfer/record_reader.ts";
import type { MaybePromise } from "../../../lib/maybe_promise.ts";
import type { PetImporter } from "../../../lib/stores/pet_importer.ts";
import { openSqliteImporter } from "../../../lib/stores/sqlite/importer.ts";
import { makeDrafts, readDrafts, toNdjson } from "../../support/server/pet_files.ts";
import { withTempFolder } from "../../support/temp.ts";
import { test } from "../../support/server/in_process.ts";

const encoder = new TextEncoder();

/** Bytes in blocks of these lengths, one after the other and again. */
async function* inBlocks(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let start = 0, i = 0; start < bytes.length; i++) {
    const length = lengths[i % lengths.length]!;
    await Promise.resolve();
    yield bytes.subarray(start, start + length);
    start += length;
  }
}

async function readAll(bytes: Uint8Array, lengths: readonly number[], findEnd: typeof findCsvEnd) {
  const records = (await Array.fromAsync(readRecords(inBlocks(bytes, lengths), findEnd))).flat();
  return records.map((record) => ({ line: record.line, text: textOf(record) }));
}

const field = fc.string({ unit: fc.constantFrom("a", "é", "🐕", ",", '"', "\n", "\r\n", " ", "\ufeff"), maxLength: 6 });
const lineEnd = fc.constantFrom("\n", "\r\n");
const blocks = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

test("what is written as RFC 4180 says is read as it was, whatever the blocks", async () => {
  const table = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      table,
      lineEnd,
      blocks,
      fc.boolean(),
      async (rows, end, lengths, hasEnd) => {
        const lines = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
        const text = lines.join(end) + (hasEnd ? end : "");
        const bytes = encoder.encode(`\ufeff${text}`);
        const records = await readAll(bytes, lengths, findCsvEnd);
        assert.deepEqual(records.map(({ text }) => parseCsvRecord(text!)), rows);
        let line = 1;
        for (const [i, each] of records.entries()) {
          assert.equal(each.line, line);
          line += lines[i]!.split("\n").length;
        }
      },
    ),
  );
});

test("a record that is not valid UTF-8 has no text, and those beside it have theirs", async () => {
  const bytes = Uint8Array.of(0x61, 0x0a, 0xff, 0x0a, 0x62, 0x0d, 0x0a);
  assert.deepEqual(await readAll(bytes, [2], findLineEnd), [
    { line: 1, text: "a" },
    { line: 2, text: undefined },
    { line: 3, text: "b" },
  ]);
});

test("a line over 1 MiB is refused with its number, and one of 1 MiB is not", async () => {
  for (const find of [findLineEnd, findCsvEnd]) {
    const longest = encoder.encode(`a\nb\n${"x".repeat(2 ** 20 - 1)}\nc`);
    assert.equal((await readAll(longest, [65_536], find)).length, 4);
    const tooLong = encoder.encode(`a\nb\n${"x".repeat(2 ** 20)}\nc`);
    await assert.rejects(
      readAll(tooLong, [65_536], find),
      /^SettingError: Line 3 is longer than 1 MiB; is a line end or/,
    );
  }
});

async function importBlocks(blocks: AsyncIterable<Uint8Array>, importer: PetImporter, grows = false) {
  const options = { format: "ndjson", copy: 1, importer, skipsBad: false, takesLast: false, grows } as const;
  const parts = await Array.fromAsync(importRecords(blocks, options));
  const sum = (name: "added" | "known") => parts.reduce((total, part) => total + part[name], 0);
  return { added: sum("added"), known: sum("known") };
}

test.withFolder("a source is known, however its bytes arrive, and with records that fill the memory for reading ahead", async (folder) => {
  const importer = openSqliteImporter(join(folder, "pets.db"));
  const long = '{"name":"Rex","categoryId":7,"colour":"'.padEnd(900_000, "x") + '"}\n';
  for (const [text, count] of [[toNdjson(makeDrafts(5_001)), 5_001], [long.repeat(40), 40]] as const) {
    for (const [i, length] of [65_536, 1_000_003, 100_000_000].entries()) {
      const { added, known } = await importBlocks(inBlocks(encoder.encode(text), [length]), importer);
      assert.deepEqual([added, known], i === 0 ? [count, 0] : [0, count]);
    }
  }
  await importer.close();
});

const never = new Promise<void>(() => {}), KILLED = new Error("killed");

/** Programs that take turns. The scheduler chooses the next one while all of them wait for their turn. */
class Turns {
  readonly #scheduler: fc.Scheduler;
  #busy = 0;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
  }

  async wait(): Promise<void> {
    this.#busy--;
    await this.#scheduler.schedule(Promise.resolve());
    this.#busy++;
  }

  async run(programs: (() => Promise<void>)[]): Promise<void> {
    this.#busy = programs.length;
    const all = programs.map((program) => program().finally(() => this.#busy--));
    for (;;) {
      do await new Promise((resolve) => setImmediate(resolve)); while (this.#busy > 0);
      if (this.#scheduler.count() === 0) break;
      await this.#scheduler.waitOne();
    }
    await Promise.all(all);
  }
}

/** Imports a file, with a turn for each call of the importer. The program is killed after some of them. */
async function importInTurns(folder: string, turns: Turns, calls = Infinity): Promise<void> {
  await turns.wait();
  const importer = openSqliteImporter(join(folder, "pets.db"));
  const { bytes, grows, close } = await openSource(join(folder, "a.ndjson"), never);
  const call = async <T>(method: () => MaybePromise<T>): Promise<T> => {
    await turns.wait();
    if (calls-- === 0) throw KILLED;
    return await method();
  };
  const watched: PetImporter = {
    ...importer,
    followers: (parent) => call(() => importer.followers(parent)),
    add: (chunk, known) => call(() => importer.add(chunk, known)),
  };
  await importBlocks(bytes, watched, grows).catch((error) => assert.equal(error, KILLED));
  close();
  await importer.close();
}

test("a file that several programs import while it is written, and while they are killed, gives each pet once", () =>
  fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom(Infinity, Infinity, 1, 2, 3), { minLength: 2, maxLength: 3 }),
      // A transaction adds up to 2,000 records.
      fc.constantFrom(3, 1_998),
      fc.array(fc.integer({ min: 30, max: 200 }), { minLength: 1, maxLength: 3 }),
      (scheduler, importers, before, parts) =>
        withTempFolder(async (folder) => {
          const path = join(folder, "a.ndjson");
          const drafts = makeDrafts(before + 12);
          writeFileSync(path, toNdjson(drafts.slice(0, before)));
          let rest = toNdjson(drafts.slice(before));
          const grow = (length: number) => {
            appendFileSync(path, rest.slice(0, length));
            rest = rest.slice(length);
          };
          const turns = new Turns(scheduler);
          const writer = async () => {
            for (const length of parts) {
              await turns.wait();
              grow(length);
            }
          };
          await turns.run([writer, ...importers.map((calls) => () => importInTurns(folder, turns, calls))]);
          grow(rest.length);
          await turns.run([() => importInTurns(folder, turns)]);
          assert.deepEqual(readDrafts(folder), drafts);
        }),
    ),
    { numRuns: 100 },
  ));

test.withFolder("a pipe that ends before what another importer has added meanwhile stops, and adds nothing", async (folder) => {
  const importer = openSqliteImporter(join(folder, "pets.db"));
  const bytes = (count: number) => inBlocks(encoder.encode(toNdjson(makeDrafts(count))), [65_536]);
  let isFirst = true;
  const slow: PetImporter = {
    ...importer,
    async add(chunk, known) {
      if (isFirst) await importBlocks(bytes(600), importer);
      isFirst = false;
      return importer.add(chunk, known);
    },
  };
  await assert.rejects(importBlocks(bytes(500), slow), /^SettingError: Another import has added more lines/);
  assert.deepEqual(readDrafts(folder), makeDrafts(600));
  // A shorter source is another one, unless the two were imported at once.
  assert.deepEqual(await importBlocks(bytes(500), importer), { added: 500, known: 0 });
  await importer.close();
});

test.withFolder("a source that was imported adds nothing, although a shorter one with the same beginning was imported since", async (folder) => {
  const importer = openSqliteImporter(join(folder, "pets.db"));
  for (let round = 0; round < 10; round++) {
    const text = toNdjson(makeDrafts(9).map((draft) => ({ ...draft, name: `${round} ${draft.name}` })));
    const shorter = text.split("\n").slice(0, 5).join("\n") + "\n";
    const outcomes = [];
    for (const each of [text, shorter, text]) {
      outcomes.push((await importBlocks(inBlocks(encoder.encode(each), [65_536]), importer)).added);
    }
    assert.deepEqual(outcomes, [9, 5, 0]);
  }
  await importer.close();
});
