/** How bytes are divided into records, and CSV into fields. */

import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { parseCsvRecord } from "../../../lib/server/transfer/csv.ts";
import {
  findCsvEnd,
  findLineEnd,
  MAX_RECORDS,
  RecordReader,
  type SourceRecord,
} from "../../../lib/server/transfer/record_reader.ts";

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

/** Reads all records, `count` at a time. */
async function readAll(reader: RecordReader, count: number): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  for (;;) {
    await reader.fill();
    if (reader.count === 0) return records;
    const part = Math.min(count, reader.count);
    records.push(...reader.peek(part));
    reader.skip(part);
  }
}

const field = fc.string({ unit: fc.constantFrom("a", "é", "🐕", ",", '"', "\n", "\r\n", " ", "\ufeff"), maxLength: 6 });
const lineEnd = fc.constantFrom("\n", "\r\n");
const blocks = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

test("what is written as RFC 4180 says is read as it was, whatever the blocks and the chunks", async () => {
  const table = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      table,
      lineEnd,
      blocks,
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (rows, end, lengths, count, hasEnd) => {
        const lines = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
        const text = lines.join(end) + (hasEnd ? end : "");
        const bytes = encoder.encode(`\ufeff${text}`);
        const records = await readAll(new RecordReader(inBlocks(bytes, lengths), findCsvEnd), count);
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

test("the digest depends on the records alone: not on blocks, on chunks before, or on the end of the last line", async () => {
  const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "🐕"), minLength: 1 }), {
    minLength: 1,
    maxLength: 9,
  });
  await fc.assert(
    fc.asyncProperty(lines, blocks, blocks, async (texts, one, other) => {
      const digests = [];
      for (const [lengths, end] of [[one, ""], [other, "\n"]] as const) {
        const reader = new RecordReader(inBlocks(encoder.encode(texts.join("\n") + end), lengths), findLineEnd);
        await reader.fill();
        assert.equal(reader.count, texts.length);
        digests.push(texts.map((_, i) => reader.digest("parent", i + 1)));
      }
      assert.deepEqual(digests[0], digests[1]);
      assert.equal(new Set(digests[0]).size, texts.length);
    }),
  );
});

test("a chunk has as many records as the bytes allow, however they arrive, so that a repeated import finds it", async () => {
  const bytes = encoder.encode(`${"x".repeat(900_000)}\n`.repeat(40));
  const counts = [];
  for (const length of [65_536, 1_000_003, bytes.length]) {
    const reader = new RecordReader(inBlocks(bytes, [length]), findLineEnd);
    await reader.fill();
    counts.push(reader.count);
  }
  assert.ok(counts[0]! < 20, "the memory is bounded");
  assert.deepEqual(new Set(counts).size, 1, counts.join());
  const many = new RecordReader(inBlocks(encoder.encode("\n".repeat(3 * MAX_RECORDS)), [70_001]), findLineEnd);
  await many.fill();
  assert.equal(many.count, MAX_RECORDS);
});

test("a record that is not valid UTF-8 has no text, and those beside it have theirs", async () => {
  const bytes = Uint8Array.of(0x61, 0x0a, 0xff, 0x0a, 0x62, 0x0d, 0x0a);
  const reader = new RecordReader(inBlocks(bytes, [2]), findLineEnd);
  assert.deepEqual(await readAll(reader, 10), [
    { line: 1, text: "a" },
    { line: 2, text: undefined },
    { line: 3, text: "b" },
  ]);
});

test("a line over 1 MiB is refused with its number, and one of 1 MiB is not", async () => {
  for (const find of [findLineEnd, findCsvEnd]) {
    const longest = encoder.encode(`a\nb\n${"x".repeat(2 ** 20 - 1)}\nc`);
    assert.equal((await readAll(new RecordReader(inBlocks(longest, [65_536]), find), 10)).length, 4);
    const tooLong = encoder.encode(`a\nb\n${"x".repeat(2 ** 20)}\nc`);
    const reader = new RecordReader(inBlocks(tooLong, [65_536]), find);
    await assert.rejects(readAll(reader, 10), /^SettingError: Line 3 is longer than 1 MiB; is a line end or/);
  }
});

const BAD: [text: string, fault: RegExp][] = [
  ['Rex "the dog",7', /a field with a quote must be in quotes/],
  ['"Rex,7', /a closing quote is missing/],
  ['"Rex"x,7', /after a closing quote, only a comma may follow/],
];

for (const [text, fault] of BAD) {
  test(`the record ${text} is bad CSV`, () => {
    const found = parseCsvRecord(text);
    assert.match("fault" in found ? found.fault : "", fault);
  });
}
