/** Imports from pipes, and of files that are not whole, have bad lines, or are stopped. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, test } from "../../support/server/in_process.ts";
import { ServerProcess } from "../../support/server/server_process.ts";
import { command, skipUnless, testUnless } from "../../support/system/commands.ts";
import {
  assertPrinted,
  assertRefused,
  importFile,
  makeDrafts,
  readDrafts,
  startShell,
  STORE,
  toCsv,
  toNdjson,
  untilMore,
} from "../../support/server/pet_files.ts";

test.inFolder("a last line without an end is not added before it is whole, and does not make a pet come twice", async (folder) => {
  const incomplete = (line: number) =>
    `petstore: Line ${line} has no end, so it may be incomplete and was not added; if it is whole, add --last-line\n`;
  const files: [name: string, start: string, rest: string, line: number][] = [
    ["a.ndjson", '{"name":"Rex","categoryId":7}\n{"name":"Luna","categoryId":12', "345}\n", 2],
    ["a.csv", "name,categoryId\nRex,7\nLuna,12", "345\n", 3],
    ["b.csv", 'categoryId,name,notes\n7,Milo,\n12345,Luna,"a\n', 'b"\n', 3],
    ["c.csv", "name,category", "Id\nMax,7\nBella,12345\n", 1],
  ];
  for (const [name, start, rest, line] of files) {
    const isHeader = line === 1;
    const added = isHeader ? 0 : 1;
    const told = await importFile(folder, name, start);
    const wanted = `${name}: ${added} pet${isHeader ? "s" : ""} added\n`;
    assert.deepEqual(told, { status: 1, stdout: wanted, stderr: incomplete(line) });
    const grown = await importFile(folder, name, start + rest);
    const known = isHeader ? "2 pets added" : "1 pet added, 1 pet known from an earlier import";
    assertPrinted(grown, `${name}: ${known}`);
    assert.deepEqual(readDrafts(folder).at(-1)?.categoryId, 12345n);
  }
  assert.equal(readDrafts(folder).length, 2 * files.length);
  // Without its last line end, a file that was imported is still known.
  const { status, stdout } = await importFile(folder, "a.csv", "name,categoryId\nRex,7\nLuna,12345");
  assert.deepEqual([status, stdout], [0, "a.csv: 0 pets added, 2 pets known from an earlier import\n"]);
  const last = await importFile(folder, "d.csv", "name,categoryId\nOtis,7\nMimi,8", "--last-line");
  assertPrinted(last, "d.csv: 2 pets added");
  assertPrinted(await importFile(folder, "e.csv", "name,categoryId\nZiggy,7\n  "), "e.csv: 1 pet added");
});

test.inFolder("--rejects writes the lines that are no pets to a file, which can be corrected and imported", async (folder) => {
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const good = toCsv(makeDrafts(3_000), "\n");
  const text = `\ufeff${good}"",7,sold\nRex,"seven\n",sold\nRex`;
  const first = await importFile(folder, "a.csv", text, "--rejects=bad.csv", "--last-line");
  assert.equal(first.status, 0);
  assert.equal(first.stdout, "a.csv: 3000 pets added, 3 lines skipped, now in bad.csv\n");
  assert.match(first.stderr, /^petstore: Line 3002: .*\npetstore: Line 3003: .*\npetstore: Line 3005: .*\n$/);
  const rejected = 'name,categoryId,status\n"",7,sold\nRex,"seven\n",sold\nRex\n';
  assert.equal(read("bad.csv"), rejected);
  // Those of an earlier import are found again, as after a kill.
  const again = await importFile(folder, "a.csv", text, "--rejects=again.csv", "--last-line");
  assert.equal(again.status, 0);
  assert.equal(read("again.csv"), rejected);
  const dry = await importFile(folder, "a.csv", text, "--rejects=dry.csv", "--last-line", "--dry-run");
  assert.deepEqual([dry.status, read("dry.csv")], [2, rejected]);
  const corrected = await importFile(folder, "c.csv", "name,categoryId,status\nMilo,7,sold\n", "--rejects=none.csv");
  assertPrinted(corrected, "c.csv: 1 pet added");
  const kept = await importFile(folder, "b.csv", text, "--rejects=bad.csv");
  assertRefused(kept, /bad\.csv exists already; choose another name/);
  assert.equal(readDrafts(folder).length, 3_001);
  await importFile(folder, "d.ndjson", '{"name":"Rex","categoryId":7}\n{}\n[]\n', "--rejects=bad.ndjson");
  assert.equal(read("bad.ndjson"), "{}\n[]\n");
  assert.deepEqual(readdirSync(folder).filter((name) => /none|tmp/.test(name)), []);
});

test.inFolder("import reads standard input and a named pipe", async (folder) => {
  writeFileSync(join(folder, "a.csv"), toCsv(makeDrafts(3), "\n"));
  const store = "--store sqlite:pets.db";
  await using piped = startShell(folder, `cat a.csv | "$@" import - --format csv ${store}`);
  assert.equal(await piped.exit(), 0, piped.written.stderr);
  assert.equal(piped.written.stdout, "standard input: 3 pets added\n");
  await using named = startShell(folder, `mkfifo p.csv; cat a.csv > p.csv & "$@" import p.csv --copy 2 ${store}`);
  assert.equal(await named.exit(), 0, named.written.stderr);
  assert.equal(readDrafts(folder).length, 6);
});

testUnless(skipUnless(["mkfifo"], "named pipes", () => {}))(
  "Ctrl-C in an import says how far it came, also while it waits for more, and a repeat adds the rest",
  () =>
    inFolder(async (folder) => {
      command("mkfifo", join(folder, "pipe.ndjson"));
      const args = ["import", "pipe.ndjson", STORE, "--rejects=bad.ndjson"];
      await using child = new ServerProcess(folder, { args });
      using pipe = await Deno.open(join(folder, "pipe.ndjson"), { write: true });
      const text = toNdjson(makeDrafts(5_000));
      await pipe.write(new TextEncoder().encode(text.slice(0, text.length / 2)));
      await untilMore(folder);
      assert.equal(await child.stop("SIGINT"), 1);
      const line = "The import was stopped. 2000 pets added; import the file again for the rest";
      assert.deepEqual(child.written, { stdout: "", stderr: `petstore: sqlite:pets.db is new\npetstore: ${line}\n` });
      assert.ok(!readdirSync(folder).some((name) => name.startsWith("bad")));
      const rest = await importFile(folder, "a.ndjson", text);
      assertPrinted(rest, "a.ndjson: 3000 pets added, 2000 pets known from an earlier import");
      assert.deepEqual(readDrafts(folder), makeDrafts(5_000));
    }),
);
