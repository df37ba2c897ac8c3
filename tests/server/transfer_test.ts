/** The commands import and export. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { PetDraft } from "../../lib/pet.ts";
import { readLines } from "../../lib/server/commands/pet_lines.ts";
import { exportDatabase } from "../../lib/stores/sqlite/transfer.ts";
import { execute } from "../support/database.ts";
import { test } from "../support/server/in_process.ts";
import {
  assertPrinted,
  assertRefused,
  FILE,
  makeDrafts,
  makeStore,
  readPets,
  runLine,
  startShell,
  STORE,
  succeed,
  toNdjson,
} from "../support/server/pet_files.ts";
import { ServerProcess } from "../support/server/server_process.ts";
import { command } from "../support/system/commands.ts";

/** Imports a file with this content. */
async function load(content: string | Uint8Array, flags = "") {
  writeFileSync("a.ndjson", content);
  return await runLine(`import a.ndjson${flags}`);
}

test.inFolder("import adds pets with the default status and new ids, and a file twice if it is imported twice", async () => {
  // Windows line ends, blank lines, and a last line without an end.
  const more = '{"id":77,"name":"Milo","categoryId":7.0}\r\n\n  \r\n{"categoryId":1e3,"name":"\\u0041"}';
  const milo = { name: "Milo", categoryId: 7n, status: "available" } as const;
  const pets = toNdjson([...makeDrafts(4), milo, { ...milo, name: "A", categoryId: 1000n }]);
  const text = `\ufeff${toNdjson(makeDrafts(4))}${more}`;
  assertPrinted(await load(text, " --dry-run"), "a.ndjson: 6 pets can be added");
  await makeStore(0);
  for (let i = 0; i < 2; i++) assertPrinted(await load(text), "a.ndjson: 6 pets added");
  assert.equal(await readPets(), pets + pets);
  const { status, stderr } = await runLine("PETSTORE_STORE= import a.ndjson");
  assert.deepEqual([status, stderr], [0, "petstore: sqlite:data/petstore.db is new\n"]);
});

const BAD: readonly [line: string, shows: RegExp][] = [
  ['{"name":"Rex","categoryId":9223372036854775808}', /^petstore: Line 3: categoryId must be .*$/m],
  ["{}", /^petstore: Line 3: name is required; categoryId is required$/m],
  ['["Rex",7]', /^petstore: Line 3: it must be a JSON object/m],
  // No control character reaches the terminal.
  ['{"name":"Rex\u001b[31m","categoryId":7}', /^petstore: Line 3: it is not JSON: \P{Cc}*$/mu],
  // Two files of Windows were joined: a byte order mark, here with a tag from beyond U+FFFF.
  ['\ufeff\u{e0041}{"name":"Rex","categoryId":7}', /^petstore: Line 3: it is not JSON: [\P{Cf}\n]*\\ufeff\P{Cf}*$/mu],
  ["{}\n".repeat(30), /^petstore: Line 22: .*\npetstore: and 10 more\npetstore: a.ndjson has 30 lines /m],
];

test.inFolder("a bad line is named, and nothing is added", async () => {
  await makeStore(0);
  for (const [line, shows] of BAD) {
    for (const flags of ["", " --dry-run"]) {
      const { status, stdout, stderr } = await load(`${toNdjson(makeDrafts(2))}${line}\n`, flags);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, shows);
      assert.match(stderr, /a\.ndjson has \d+ lines? that cannot be added, so nothing was added\n$/);
    }
  }
  assertRefused(await load(Uint8Array.of(0xff)), "The text is not valid UTF-8, on line 1 or soon after it");
  assert.equal(await readPets(), "");
});

test.inFolder("a member whose name is nearly right is refused, and others that are ignored are named once", async () => {
  await makeStore(0);
  // The letters are the same, or one is added, removed, or of another alphabet, or two are swapped.
  const similar = ["STATUS", "sta\u200btus", "category_id", "státus", "statuss", "statu", "sttaus", "st\u0430tus"];
  for (const name of similar) {
    const { status, stderr } = await load(`{"name":"Rex","categoryId":7,${JSON.stringify(name)}:1}\n`);
    assert.equal(status, 2);
    assert.match(stderr, /^petstore: Line 1: it has a member ".*", which must be "(status|categoryId)"\n/, name);
  }
  const rex = { name: "Rex", categoryId: 7n, status: "available" } as const;
  const ignored = '"colour":1,"state":1,"pet.status":1,"__proto__":{"status":"sold"}';
  const { status, stderr } = await load(`{"id":1,"name":"Rex","categoryId":7,${ignored}}\n`.repeat(3));
  const names = '"colour", "state", "pet.status", "__proto__"';
  assert.equal(stderr, `petstore: Members that a pet does not have are ignored: ${names}\n`);
  assert.equal(status, 0);
  assert.equal(await readPets(), toNdjson([rex, rex, rex]));
});

test("lines are the same, whatever the blocks in which they arrive, and only one line is limited to a mebibyte", async () => {
  const lines = ["a\r", "", "é🐕\u2028\ufeff", "x".repeat(600_000), "y".repeat(600_000), "end"];
  const bytes = new TextEncoder().encode(`\ufeff${lines.join("\n")}`);
  const blocksOf = async function* (size: number) {
    for (let start = 0; start < bytes.length; start += size) yield await bytes.subarray(start, start + size);
  };
  for (const size of [3, 262_144]) {
    assert.deepEqual((await Array.fromAsync(readLines(blocksOf(size)))).flat(), lines);
  }
});

test.inFolder("import reads standard input", async (folder) => {
  writeFileSync("a.ndjson", toNdjson(makeDrafts(3)));
  await using child = startShell(folder, 'cat a.ndjson | "$@" import - --store sqlite:pets.db');
  assert.equal(await child.exit(), 0, child.written.stderr);
  assert.equal(child.written.stdout, "standard input: 3 pets added\n");
});

test.inFolder("a signal ends an import that waits for a pipe without a writer, and nothing is added", async (folder) => {
  command("mkfifo", "pipe");
  let written: { stdout: string; stderr: string } | undefined;
  // Nothing tells when it has started to listen to signals. On a busy machine that takes long, and
  // a signal before ends it without a word.
  for (let wait = 1_500; wait < 30_000 && !written?.stderr; wait *= 2) {
    await using child = new ServerProcess(folder, { args: ["import", "pipe", STORE] });
    await new Promise((resolve) => setTimeout(resolve, wait));
    assert.equal(await child.stop("SIGTERM"), 143);
    written = child.written;
  }
  assert.deepEqual(written, { stdout: "", stderr: "petstore: Ended by SIGTERM, and nothing was changed\n" });
  assert.deepEqual(readdirSync(folder), ["pipe"]);
});

test.inFolder("an import whose report cannot be written has status 0, because a second one would add all pets again", async (folder) => {
  writeFileSync("a.ndjson", toNdjson(makeDrafts(3)));
  await using child = startShell(folder, '"$@" import a.ndjson --store sqlite:pets.db > /dev/full');
  assert.equal(await child.exit(), 0);
  assert.match(child.written.stderr, /^petstore: standard output cannot be written: /m);
});

const DRAFTS: fc.Arbitrary<PetDraft> = fc.record({
  name: fc.string({
    unit: fc.oneof(fc.constantFrom('"', ",", "\\", "=", "\u2028", "\ufeff", "🐕"), fc.string({ unit: "binary" })),
    minLength: 1,
    maxLength: 40,
  }).filter((text) => text.trim() !== "" && text.length < 200 && text.isWellFormed() && !/\p{Cc}/u.test(text)),
  categoryId: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 0n),
  ),
  status: fc.constantFrom("available", "pending", "sold"),
}, { noNullPrototype: true });

test.inFolder("what import adds, export shows, and importing that gives the same pets", async () => {
  const drafts = fc.sample(DRAFTS, { numRuns: 3_000, seed: 4711 });
  writeFileSync("a.ndjson", toNdjson(drafts));
  await succeed("import a.ndjson");
  const printed = await runLine("export b.ndjson");
  const exported = readFileSync("b.ndjson", "utf8");
  assertPrinted(printed, `b.ndjson: 3000 pets, ${new TextEncoder().encode(exported).length} bytes`);
  assert.equal(statSync("b.ndjson").mode & 0o777, 0o600);
  assert.equal(exported.replaceAll(/^\{"id":\d+,/gm, "{"), toNdjson(drafts));
  const store = "--store=sqlite:other.db";
  await succeed(`import b.ndjson ${store}`);
  assert.equal(await succeed(`export ${store}`), exported);
});

test.inFolder("an export shows one moment, whatever others write meanwhile", async () => {
  await makeStore(5_000);
  let text = "";
  await exportDatabase(FILE, (page) => {
    if (text === "") execute(FILE, "DELETE FROM pets WHERE id > 4000; UPDATE pets SET name = 'x' WHERE id > 3000");
    text += `${page}\n`;
    return Promise.resolve();
  });
  assert.equal(text.replaceAll(/^\{"id":\d+,/gm, "{"), toNdjson(makeDrafts(5_000)));
});

test.inFolder("export ends without a word when its reader has enough, and says so if its standard output is on a full disk", async (folder) => {
  await makeStore(30_000);
  const pipe = '"$@" export --store sqlite:pets.db | head -n 1; echo "${PIPESTATUS[0]}"';
  await using child = startShell(folder, pipe);
  assert.equal(await child.exit(), 0);
  const stdout = '{"id":1,"name":"Rex 0","categoryId":0,"status":"available"}\n1\n';
  assert.deepEqual(child.written, { stdout, stderr: "" });
  await using full = startShell(folder, '"$@" export --store sqlite:pets.db > /dev/full');
  assert.equal(await full.exit(), 1);
  assert.match(full.written.stderr, /^petstore: The export failed: .*(full|no space).*\n/i);
});
