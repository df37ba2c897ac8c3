/** The command import. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { readLines } from "../../../lib/server/transfer/lines.ts";
import { inFolder, test } from "../../support/server/in_process.ts";
import type { PetDraft } from "../../../lib/pet.ts";
import { type ServerExit, ServerProcess } from "../../support/server/server_process.ts";
import { command, NO_PROC, testUnless } from "../../support/system/commands.ts";
import {
  assertPrinted,
  makeDrafts,
  makeStore,
  readDrafts,
  runLine,
  startShell,
  STORE,
  toNdjson,
} from "../../support/server/pet_files.ts";

/** Imports a file with this content. */
async function load(content: string | Uint8Array, flags = ""): Promise<ServerExit> {
  writeFileSync("a.ndjson", content);
  return await runLine(`import a.ndjson${flags}`);
}

const MORE: PetDraft[] = [
  { name: "Milo", categoryId: 7n, status: "available" },
  { name: "A", categoryId: 1000n, status: "available" },
];

// Exact numbers and every kind of name: export_test.ts.
test.inFolder("import adds pets with the default status and new ids, and a file twice if it is imported twice", async () => {
  // Windows line ends, blank lines, and a last line without an end.
  const more = '{"id":77,"name":"Milo","categoryId":7.0}\r\n\n  \r\n{"categoryId":1e3,"name":"\\u0041"}';
  const drafts = [...makeDrafts(4), ...MORE];
  const text = `\ufeff${toNdjson(makeDrafts(4))}${more}`;
  assertPrinted(await load(text, " --dry-run"), "a.ndjson: 6 pets can be added");
  await makeStore(0);
  for (let i = 0; i < 2; i++) assertPrinted(await load(text), "a.ndjson: 6 pets added");
  assert.deepEqual(readDrafts(), [...drafts, ...drafts]);
});

const BAD: readonly [line: string | Uint8Array, shows: RegExp][] = [
  ['{"name":"","categoryId":7}', /name must be/],
  ['{"name":"Rex","categoryId":9223372036854775808}', /categoryId must be/],
  ['{"name":"Rex","categoryId":7,"status":"gone"}', /status must be/],
  ["{}", /name is required; categoryId is required/],
  ['["Rex",7]', /it must be a JSON object/],
  ['{"name":"Rex\u001b[31m","categoryId":7}', /it is not JSON/],
  [Uint8Array.of(0xff), /it is not valid UTF-8/],
  // A mark of the byte order may only begin the file.
  ['\ufeff{"name":"Rex","categoryId":7}', /it is not JSON/],
];

const encoder = new TextEncoder();

test.inFolder("a bad line is named, and nothing is added", async () => {
  await makeStore(0);
  for (const [line, shows] of BAD) {
    const text = Buffer.concat(
      [toNdjson(makeDrafts(2)), line, "\n", toNdjson(makeDrafts(1))].map((part) => Buffer.from(part)),
    );
    for (const flags of ["", " --dry-run"]) {
      const { status, stdout, stderr } = await load(text, flags);
      assert.deepEqual([status, stdout], [2, ""]);
      const [first = "", last, ...rest] = stderr.split("\n");
      assert.match(first, /^petstore: Line 3: /);
      assert.match(first, shows);
      assert.ok(!first.includes("\u001b"));
      assert.equal(last, "petstore: a.ndjson has 1 line that cannot be added, so nothing was added");
      assert.deepEqual(rest, [""]);
    }
  }
  const many = await load("{}\n".repeat(30) + toNdjson(makeDrafts(1)));
  const shown = many.stderr.split("\n").slice(0, -1);
  assert.equal(shown.length, 22);
  assert.deepEqual(shown.slice(-3), [
    "petstore: Line 20: name is required; categoryId is required",
    "petstore: and 10 lines more",
    "petstore: a.ndjson has 30 lines that cannot be added, so nothing was added",
  ]);
  assert.deepEqual(readDrafts(), []);
});

test.inFolder("a member whose name is nearly right is refused, and others that are ignored are named once", async () => {
  await makeStore(0);
  const sameLetters = ["status ", "STATUS", "sta\u200btus", "ｓtatus", "category_id", "CategoryID", " name", "státus"];
  // One letter is added, removed, replaced, swapped with its neighbour, or of another alphabet.
  const similar = ["statuss", "statu", "statue", "sttaus", "STATU5", "st\u0430tus", "Nmae", "ca\u03c4egoryId"];
  for (const name of [...sameLetters, ...similar]) {
    const line = `{"name":"Rex","categoryId":7,${JSON.stringify(name)}:1}\n`;
    const { status, stderr } = await load(line);
    assert.equal(status, 2);
    assert.match(stderr, /^petstore: Line 1: it has a member ".*", which must be "(status|categoryId|name)"\n/, name);
  }
  const ignored = '"colour":1,"state":1,"pet.status":1,"category":1,"__proto__":{"status":"sold"}';
  const text = `{"id":1,"name":"Rex","categoryId":7,${ignored}}\n`.repeat(3) +
    '{"name":"Rex","categoryId":7,"owner":{"Name":1}}\n';
  const { status, stdout, stderr } = await load(text);
  assert.deepEqual([status, stdout], [0, "a.ndjson: 4 pets added\n"]);
  const names = '"colour", "state", "pet.status", "category", "__proto__", "owner"';
  assert.equal(stderr, `petstore: Members that a pet does not have are ignored: ${names}\n`);
  const wanted: PetDraft = { name: "Rex", categoryId: 7n, status: "available" };
  assert.deepEqual(readDrafts(), Array(4).fill(wanted));
});

const line = fc.string({ unit: fc.constantFrom("a", "é", "🐕", "\r", " ", "\u2028", "\ufeff"), maxLength: 6 });

test("lines are the same, whatever the blocks in which they arrive", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      async (lines, lengths) => {
        const bytes = encoder.encode(`\ufeff${lines.join("\n")}\nend`);
        async function* blocks() {
          for (let start = 0, i = 0; start < bytes.length; start += lengths[i++ % lengths.length]!) {
            await Promise.resolve();
            yield bytes.subarray(start, start + lengths[i % lengths.length]!);
          }
        }
        assert.deepEqual((await Array.fromAsync(readLines(blocks()))).flat(), [...lines, "end"]);
      },
    ),
  ));

test.inFolder("import reads standard input, and a named pipe, which Node reads as a socket", async (folder) => {
  writeFileSync("a.ndjson", toNdjson(makeDrafts(3)));
  const scripts = {
    "-": 'cat a.ndjson | "$@" import -',
    p: 'mkfifo p; cat a.ndjson > p & until [ -p p ]; do :; done; "$@" import p',
  };
  for (const [name, script] of Object.entries(scripts)) {
    await using child = startShell(folder, `${script} --store sqlite:pets.db`);
    assert.equal(await child.exit(), 0, child.written.stderr);
    assert.equal(child.written.stdout, `${name === "-" ? "standard input" : name}: 3 pets added\n`);
  }
});

testUnless(NO_PROC)(
  "a signal ends an import that waits for a pipe, with a writer or without one, and nothing is added",
  () =>
    inFolder(async (folder) => {
      command("mkfifo", join(folder, "pipe"));
      for (const [hasWriter, signal] of [[false, "SIGINT"], [true, "SIGTERM"]] as const) {
        await using child = new ServerProcess(folder, { args: ["import", "pipe", STORE] });
        if (hasWriter) {
          using pipe = await Deno.open(join(folder, "pipe"), { write: true });
          await pipe.write(encoder.encode(toNdjson(makeDrafts(500))));
          assert.equal(await child.stop(signal), 1);
        } else {
          // It is waiting once it has started to listen to signals.
          await new Promise((resolve) => setTimeout(resolve, 1_500));
          assert.equal(await child.stop(signal), 1);
        }
        assert.deepEqual(child.written, {
          stdout: "",
          stderr: "petstore: The import was stopped, and nothing was added\n",
        });
      }
      assert.deepEqual(readdirSync(folder), ["pipe"]);
    }),
);

test("only one line is limited to a mebibyte, not the lines together that blocks have cut", async () => {
  const block = (start: string) => new TextEncoder().encode(`${start}\n${"x".repeat(600_000)}`);
  async function* blocks() {
    for (let i = 0; i < 4; i++) yield block("end");
  }
  const lines = (await Array.fromAsync(readLines(blocks()))).flat();
  assert.deepEqual(lines.map((line) => line?.length), [3, 600_003, 600_003, 600_003, 600_000]);
});

test.inFolder("an import whose report cannot be written has status 0, because a second one would add all pets again", async (folder) => {
  writeFileSync("a.ndjson", toNdjson(makeDrafts(3)));
  await using child = startShell(folder, '"$@" import a.ndjson --store sqlite:pets.db > /dev/full');
  assert.equal(await child.exit(), 0);
  assert.match(child.written.stderr, /^petstore: standard output cannot be written: /m);
});
