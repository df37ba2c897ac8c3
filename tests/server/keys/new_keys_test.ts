/** What the commands that manage API keys print, refuse and remove. */

import assert from "node:assert/strict";
import { readdirSync, renameSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { runHere, sinksTo, test } from "../../support/server/in_process.ts";
import { execute } from "../../support/database.ts";
import { assertRefused } from "../../support/server/pet_files.ts";
import { keysOf } from "../../support/server/keys.ts";

const { run, add, list, idOf } = keysOf("sqlite:pets.db");

/** The year of a date in the future. */
const YEAR = new Date().getUTCFullYear() + 2;

test.inFolder("a key expires at the beginning of a day, or after a time", async () => {
  await add("--label=day", `--expires=${YEAR}-01-31`);
  await add("--label=week", "--expires=1w");
  const [day, week] = await list();
  assert.equal(day?.expires, `${YEAR}-01-31T00:00:00.000Z`);
  assert.equal(Math.round((Date.parse(week?.expires ?? "") - Date.now()) / 86_400_000), 7);
  assert.match((await run("rotate", day!.id, "--overlap=1w")).stderr, /key-\w+ expires 20\S+Z\n$/);
});

test.inFolder("a key that has expired cannot be replaced", async () => {
  await add("--label=expired", "--expires=1d");
  execute("pets.db", `UPDATE api_keys SET expires_at = ${Date.now() - 1_000}`);
  const ended = await run("rotate", await idOf("expired"));
  assertRefused(ended, /key-\w+ has ended, so nothing can replace it; .*keys add makes a new key\n$/);
});

test.inFolder("what is wrong has status 2 and one line, makes no file, and shows no key", async () => {
  const wrong: [args: string[], shows: RegExp][] = [
    [["add"], /Say what the key is for, as in .*keys add --label ci/],
    [["add", "--label=a\nb"], /--label must not contain control characters/],
    [["add", "--label=ci", "--expires=soon"], /--expires must be a time such as 12h, 90d or 1w.*not "soon"/],
    [["add", "--label=ci", "--expires=0d"], /--expires must be a time .*not "0d"/],
    [["add", "--label=ci", "--expires=2020-01-01"], /or a date in the future such as .*, not "2020-01-01"/],
    [["add", "--label=ci", `--expires=${YEAR}-02-30`], /--expires must be/],
    [["add", "--label=ci", `--expires=${YEAR}-01`], /--expires must be/],
    [["list"], /pets\.db does not exist/],
    [["rotate"], /pets\.db does not exist/],
    [["revoke", "petstore_secret"], /pets\.db does not exist/],
  ];
  const refuses = async (args: string[], shows: RegExp) => {
    const exit = await run(...args);
    assertRefused(exit, shows);
    assert.ok(!exit.stderr.includes("petstore_secret"));
  };
  for (const [args, shows] of wrong) await refuses(args, shows);
  assert.deepEqual(readdirSync("."), []);
  await add("--label=ci");
  for (const args of [["rotate", "petstore_secret"], ["revoke", "petstore_secret"], ["revoke", ""]]) {
    await refuses(args, /(no such key|id of the key is missing); .*keys list shows the ids/);
  }
});

test.inFolder("a key is printed before it is stored, and if it cannot be stored, the command says that it is not valid", async () => {
  await add("--label=old");
  const id = await idOf("old");
  using db = new DatabaseSync("pets.db");
  const stored = () => db.prepare("SELECT label, expires_at FROM api_keys").all().map((row) => Object.values(row));
  const rotate = async (onPrint: () => void) => {
    const printed = { stdout: "", stderr: "" };
    const { output, errors } = sinksTo(printed);
    const sinks = { errors, output: { write: (bytes: Uint8Array) => (onPrint(), output.write(bytes)) } };
    const { status } = await runHere(["keys", "rotate", id, "--store=sqlite:pets.db"], {}, { sinks });
    assert.match(printed.stdout, /^petstore_\w+\n$/);
    return [status, printed.stderr] as const;
  };
  const before = [["old", null]];
  assert.equal((await rotate(() => assert.deepEqual(stored(), before)))[0], 0);
  assert.equal(stored().length, 2);
  assert.notEqual(stored()[0]?.[1], null);
  const after = stored();
  const revoked = `UPDATE api_keys SET revoked_at = 1 WHERE id = '${id}'`;
  const invalid = "petstore: The printed key is not valid, because";
  const refused = `${invalid} the one to replace was revoked meanwhile\n`;
  assert.deepEqual(await rotate(() => db.exec(revoked)), [2, refused]);
  assert.deepEqual(stored(), after);
  db.exec("UPDATE api_keys SET revoked_at = NULL");
  const [status, told] = await rotate(() => renameSync("pets.db", "moved.db"));
  assert.equal(status, 2);
  assert.match(told, new RegExp(`^${invalid} it cannot be stored: pets\\.db `));
  assert.deepEqual(stored(), after);
});
