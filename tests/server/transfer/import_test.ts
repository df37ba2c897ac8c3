/** The command import. */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runHere, test } from "../../support/server/in_process.ts";
import {
  assertPrinted,
  assertRefused,
  type Draft,
  importFile,
  makeDrafts,
  readDrafts,
  STORE,
  toCsv,
  toNdjson,
} from "../../support/server/pet_files.ts";

const MAX = 2n ** 63n - 1n, MIN = -(2n ** 63n);

const DRAFTS: Draft[] = [
  { name: "Rex", categoryId: MAX, status: "available" },
  { name: 'Say "hello", Luna', categoryId: MIN, status: "sold" },
  { name: "  Zoë 🐕‍🦺 咪咪  ", categoryId: MAX - 1n, status: "pending" },
  { name: "=1+1", categoryId: 2n ** 53n + 1n, status: "sold" },
];

test.inFolder("import adds NDJSON and CSV exactly, with the default status, and ignores ids and what it does not know", async (folder) => {
  const more =
    '{"id":77,"name":"Milo","categoryId":7.0,"colour":{"x":[1]}}\n\n  \r\n{"categoryId":1e3,"name":"\\u0041"}\n';
  assertPrinted(await importFile(folder, "a.ndjson", toNdjson(DRAFTS) + more), "a.ndjson: 6 pets added");
  const csv = '\ufeffcolour; shade,status,id,categoryId,name\r\n"a\r\nb",,9,7,"Milo"\r\n\r\nred,sold,,-7,A\r\n';
  assertPrinted(await importFile(folder, "b.CSV", csv), "b.CSV: 2 pets added");
  assertPrinted(await importFile(folder, "c.txt", toCsv(DRAFTS), "--format=csv"), "c.txt: 4 pets added");
  assert.deepEqual(readDrafts(folder), [
    ...DRAFTS,
    { name: "Milo", categoryId: 7n, status: "available" },
    { name: "A", categoryId: 1000n, status: "available" },
    { name: "Milo", categoryId: 7n, status: "available" },
    { name: "A", categoryId: -7n, status: "sold" },
    ...DRAFTS,
  ]);
});

test.inFolder("the same file adds nothing more, a longer one its new lines, and --copy adds it once more, but only once", async (folder) => {
  const text = toNdjson(makeDrafts(5));
  assertPrinted(await importFile(folder, "a.ndjson", text), "a.ndjson: 5 pets added");
  const known = "0 pets added, 5 pets known from an earlier import";
  assertPrinted(await importFile(folder, "a.ndjson", text), `a.ndjson: ${known}`);
  // Neither the name nor the end of the last line counts.
  assertPrinted(await importFile(folder, "b.jsonl", text.trimEnd()), `b.jsonl: ${known}`);
  const longer = toNdjson(makeDrafts(7));
  const grown = "2 pets added, 5 pets known from an earlier import";
  assertPrinted(await importFile(folder, "a.ndjson", longer), `a.ndjson: ${grown}`);
  assertPrinted(
    await importFile(folder, "a.ndjson", toNdjson(makeDrafts(8))),
    "a.ndjson: 1 pet added, 7 pets known from an earlier import",
  );
  assertPrinted(await importFile(folder, "a.ndjson", longer, "--copy=2"), "a.ndjson: 7 pets added");
  const again = await importFile(folder, "a.ndjson", longer, "--copy=2");
  assertPrinted(again, "a.ndjson: 0 pets added, 7 pets known from an earlier import");
  // A change in a line makes it another file from there on.
  const changed = toNdjson([...makeDrafts(3), ...makeDrafts(2, 90)]);
  assertPrinted(await importFile(folder, "c.ndjson", changed), "c.ndjson: 5 pets added");
  assert.deepEqual(readDrafts(folder), [...makeDrafts(8), ...makeDrafts(7), ...makeDrafts(3), ...makeDrafts(2, 90)]);
});

const BAD = [
  '{"name":"","categoryId":7}',
  '{"name":"a\\u0007","categoryId":7}',
  '{"name":"Rex","categoryId":9223372036854775808}',
  '{"name":"Rex","categoryId":7,"status":"gone"}',
  '["Rex",7]',
  '{"name":"Rex"',
  '{"name":"Rex\u001b[31m","categoryId":7}',
];

test.inFolder("import stops at a bad line, names it, and adds no pet of its transaction; the corrected file is then added once", async (folder) => {
  for (const line of BAD) {
    const text = toNdjson(makeDrafts(2)) + `${line}\n` + toNdjson(makeDrafts(1));
    const refused = await importFile(folder, "a.ndjson", text);
    assertRefused(refused, /^petstore: Line 3: .*\. 0 pets added; correct it and import the file again\n$/);
    assert.ok(!refused.stderr.includes("\u001b"));
  }
  assert.deepEqual(readDrafts(folder), []);
  // More records than a transaction has.
  const before = toNdjson(makeDrafts(30_000)), after = toNdjson(makeDrafts(10, 40_000));
  const refused = await importFile(folder, "b.ndjson", `${before}{}\n${after}`);
  assertRefused(refused, /Line 30001: name is required; categoryId is required\. \d+ pets added; correct it/);
  const added = Number(/(\d+) pets added/.exec(refused.stderr)?.[1]);
  assert.ok(added > 0 && added <= 30_000);
  assert.deepEqual(readDrafts(folder), makeDrafts(added));
  const corrected = await importFile(folder, "b.ndjson", before + after);
  assertPrinted(corrected, `b.ndjson: ${30_010 - added} pets added, ${added} pets known from an earlier import`);
  assert.deepEqual(readDrafts(folder), [...makeDrafts(30_000), ...makeDrafts(10, 40_000)]);
});

test.inFolder("--rejects adds all but the bad lines, and --dry-run adds nothing; both report twenty lines and count the rest", async (folder) => {
  const text = `${toNdjson(makeDrafts(2))}${"{}\n".repeat(30)}${toNdjson(makeDrafts(1, 2))}`;
  const reported = [
    ...Array.from({ length: 20 }, (_, i) => `petstore: Line ${i + 3}: name is required; categoryId is required\n`),
    "petstore: and 10 more lines\n",
  ].join("");
  const dry = await importFile(folder, "a.ndjson", text, "--dry-run");
  assert.deepEqual(dry, { status: 2, stdout: "a.ndjson: 3 pets can be added, 30 lines cannot\n", stderr: reported });
  assert.deepEqual(readdirSync(folder), ["a.ndjson"]);
  const skipped = await importFile(folder, "a.ndjson", text, "--rejects=bad");
  const stdout = "a.ndjson: 3 pets added, 30 lines skipped, now in bad\n";
  assert.deepEqual(skipped, { status: 0, stdout, stderr: reported });
  assert.deepEqual(readDrafts(folder), makeDrafts(3));
  const again = await importFile(folder, "a.ndjson", text);
  assertPrinted(again, "a.ndjson: 0 pets added, 3 pets known from an earlier import");
  assertPrinted(await importFile(folder, "b.ndjson", toNdjson(DRAFTS), "--dry-run"), "b.ndjson: 4 pets can be added");
});

test.inFolder("bad CSV is refused with the number of its line, and so is a header without the columns", async (folder) => {
  const rows: [text: string, shows: RegExp][] = [
    ["name\nRex\n", /first line must name the columns, .*: it has no categoryId/],
    ["", /it has no name/],
    ["Name,categoryId\nRex,7\n", /it has no name/],
    ["name;categoryId\nRex;7\n", /: commas must separate the columns\. /],
    ["name\tcategoryId\nRex\t7\n", /: commas must separate the columns\. /],
    ["name,name,categoryId\nRex,Rex,7\n", /it has name twice/],
    ['name,categoryId\n"a\nb",7\n', /Line 2: name must be/],
    ['name,categoryId,x\nRex,7,"1\n2"\nRex\n', /Line 4: it must have 3 fields, as the first line has, not 1/],
    ["name,categoryId\nRex,seven\n", /Line 2: categoryId must be an integer .*, not seven/],
    ["name,categoryId\nRex,\n", /Line 2: categoryId is required/],
    ['name,categoryId\nRex "x",7\n', /Line 2: a field with a quote/],
  ];
  for (const [text, shows] of rows) assertRefused(await importFile(folder, "a.csv", text), shows);
  const unclosed = await importFile(folder, "a.csv", 'name,categoryId\n"Rex,7\n', "--last-line");
  assertRefused(unclosed, /Line 2: a field with a quote must be in quotes/);
  const latin = Uint8Array.from("name,categoryId\nZo\u00eb,7\n", (character) => character.charCodeAt(0));
  assertRefused(await importFile(folder, "a.csv", latin), /Line 2: it is not valid UTF-8/);
  assert.deepEqual(readDrafts(folder), []);
});

test.inFolder("import refuses what it cannot read", async (folder) => {
  mkdirSync(join(folder, "d.csv"));
  assertRefused(await importFile(folder, "d.csv", undefined), /d\.csv cannot be read: it is a folder/);
  assertRefused(await importFile(folder, "none.csv", undefined), /none\.csv does not exist/);
  assertRefused(await importFile(folder, "a", "x"), /The format is not known; add --format/);
  assertRefused(
    await importFile(folder, "a.csv", undefined, "--format=xml"),
    /--format must be ndjson or csv, not "xml"/,
  );
  assertRefused(await importFile(folder, "a.csv", undefined, "--copy=0"), /--copy must be a number from 1 to 999999/);
  assertRefused(await runHere(["import", STORE]), /Name the file, as in \S+.* import pets\.ndjson/);
  assertRefused(await runHere(["import", "a.csv", "--store=memory:"]), /in memory belongs to one server/);
  writeFileSync(join(folder, "long.ndjson"), `{}\n${"x".repeat(2 ** 20 + 1)}\n`);
  assertRefused(await importFile(folder, "long.ndjson", undefined, "--rejects=bad"), /Line 2 is longer than 1 MiB/);
});

test.inFolder("import makes a store that is missing, and its folder", async (folder) => {
  writeFileSync(join(folder, "a.ndjson"), toNdjson(DRAFTS));
  const { stdout, stderr } = await runHere(["import", "a.ndjson"]);
  assert.deepEqual([stdout, stderr], ["a.ndjson: 4 pets added\n", "petstore: sqlite:data/petstore.db is new\n"]);
  assert.deepEqual(readDrafts(folder, "data/petstore.db"), DRAFTS);
  const checked = await runHere(["check"]);
  assert.match(checked.stdout, /is sound: 4 pets/);
});
