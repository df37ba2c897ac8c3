/** What the commands that manage API keys print, refuse and remove. */

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { runHere, sinksTo, test } from "../../support/server/in_process.ts";
import { execute } from "../../support/database.ts";
import { refuse, runLine } from "../../support/server/pet_files.ts";
import { addKey, idOf, listKeys } from "../../support/server/keys.ts";

/** The year of a date in the future. */
const YEAR = new Date().getUTCFullYear() + 2;

test.inFolder("a key expires at the beginning of a day, or after a time, and then it cannot be replaced", async () => {
  await addKey(`--label=day --expires=${YEAR}-01-31`);
  await addKey("--label=week --expires=1w");
  const [day, week] = await listKeys();
  assert.equal(day?.expires, `${YEAR}-01-31T00:00:00.000Z`);
  assert.equal(Math.round((Date.parse(week?.expires ?? "") - Date.now()) / 86_400_000), 7);
  assert.match((await runLine(`keys rotate ${day!.id} --overlap=1w`)).stderr, /key-\w+ expires 20\S+Z\n$/);
  execute("pets.db", `UPDATE api_keys SET expires_at = ${Date.now() - 1_000}`);
  await refuse(`keys rotate ${week!.id}`, " has ended, so nothing can replace it; ");
});

test.inFolder("a key is printed before it is stored, and if it cannot be stored, the command says that it is not valid", async () => {
  await addKey("--label=old");
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
