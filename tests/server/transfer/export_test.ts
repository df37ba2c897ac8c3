/** The command export, and the way from a file to a store and back. */

import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import type { PetDraft } from "../../../lib/pet.ts";
import { exportDatabase } from "../../../lib/stores/sqlite/transfer.ts";
import { execute } from "../../support/database.ts";
import { test } from "../../support/server/in_process.ts";
import {
  assertPrinted,
  FILE,
  makeDrafts,
  makeStore,
  runLine,
  startShell,
  succeed,
  toNdjson,
} from "../../support/server/pet_files.ts";

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
