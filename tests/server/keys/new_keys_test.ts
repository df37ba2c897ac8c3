/** What the commands that manage API keys print, refuse and remove. */

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
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
