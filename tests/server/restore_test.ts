/** `restore`: what becomes of the file, of the one until now, and of the keys. Killed restores: tests/heavy/power. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { lstatSync, symlinkSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { PresentFile } from "../../lib/stores/sqlite/restore.ts";
import { SqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { inFolder, test } from "../support/server/in_process.ts";
import { testUnless } from "../support/system/commands.ts";
import { testWith } from "../support/test_with.ts";
import { FILE, refuse, runLine, succeed } from "../support/server/pet_files.ts";
import { addKey, listKeys } from "../support/server/keys.ts";
import { execute, query } from "../support/database.ts";
import { overwrite } from "../support/system/disk.ts";

const COPY = "copy.db";

async function addPets(...names: string[]): Promise<void> {
  await using store = SqliteStore.open(FILE, "never");
  for (const name of names) await store.create({ name, categoryId: 7n, status: "sold" });
}

function namesIn(path: string): unknown[] {
  return query(path, "SELECT name FROM pets ORDER BY id").map(({ name }) => name);
}

async function assertSound(): Promise<void> {
  assert.equal(await succeed("check"), `sqlite:${FILE} is sound: 2 pets\n`);
}

/** What a restore has kept: the replaced file, and its log if it had one. */
function listKept(folder = "."): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(`${FILE}.`));
}

/** A store with a backup, and a pet that was added later. */
async function makeBackup(): Promise<void> {
  await addPets("Rex", "Bo");
  await succeed("backup copy.db");
  await addPets("Max");
}

test.inFolder("restore puts the checked backup in the place of the file, and keeps that with what was in its log", async () => {
  mkdirSync("elsewhere");
  symlinkSync(`elsewhere/${FILE}`, FILE);
  await addPets("Rex", "Bo");
  await succeed("backup copy.db");
  const file = `elsewhere/${FILE}`;
  // The file is as SIGKILL leaves it: Max is in the log alone.
  const db = new DatabaseSync(file);
  db.exec("INSERT INTO pets (name, category_id, status) VALUES ('Max', 1, 1)");
  for (const end of ["", "-wal"]) copyFileSync(file + end, `${COPY}.killed${end}`);
  db.close();
  for (const end of ["", "-wal"]) copyFileSync(`${COPY}.killed${end}`, file + end);
  chmodSync(file, 0o640);

  const printed = await succeed("restore copy.db");
  assert.match(
    printed,
    /^pets\.db: 2 pets from copy\.db, checked\n\S+elsewhere\/pets\.db\.[-\dT]+Z: the replaced file/,
  );
  assert.deepEqual(namesIn(FILE), ["Rex", "Bo"]);
  assert.ok(lstatSync(FILE).isSymbolicLink());
  assert.equal(statSync(FILE).mode & 0o777, 0o640);
  const [kept] = listKept("elsewhere");
  assert.deepEqual([namesIn(`elsewhere/${kept}`), readdirSync("elsewhere")], [["Rex", "Bo", "Max"], [FILE, kept]]);
  assert.deepEqual(namesIn(COPY), ["Rex", "Bo"]);
  await addPets("Sam");
  assert.deepEqual(namesIn(FILE), ["Rex", "Bo", "Sam"]);
});

test.inFolder("restore makes a file where there is none, and says what is not known", async () => {
  await makeBackup();
  mkdirSync("new");
  const printed = await succeed("restore copy.db --store=sqlite:new/pets.db");
  assert.match(
    printed,
    /^new\/pets\.db: 2 pets from \S+, checked\nnew\/pets\.db is new, since .* no file to replace\n/,
  );
  assert.match(printed, /\nKeys that were revoked after the backup may be valid again/);
  assert.deepEqual([namesIn("new/pets.db"), readdirSync("new")], [["Rex", "Bo"], [FILE]]);
});

testWith(inFolder, testUnless(Deno.uid() !== 0 && "only root can restore for another user"))(
  "a restore by root gives a file that is new to the owner of its folder",
  async () => {
    await makeBackup();
    mkdirSync("data");
    chownSync("data", 10_001, 10_002);
    await succeed("restore copy.db --store=sqlite:data/pets.db");
    const { uid, gid } = statSync("data/pets.db");
    assert.deepEqual([uid, gid], [10_001, 10_002]);
  },
);

test.inFolder("a restore where there was no file leaves that of a server that starts meanwhile, with its log", async () => {
  const present = PresentFile.take(FILE);
  await using store = SqliteStore.open(FILE, "never");
  assert.equal(await store.create({ name: "Rex", categoryId: 7n, status: "sold" }), 1n);
  assert.throws(() => present.removeLog(), /was made by another program meanwhile; stop the servers first/);
  assert.equal(await store.create({ name: "Bo", categoryId: 7n, status: "sold" }), 2n);
  present.close();
});

const DAMAGES: [what: string, damage: () => void][] = [
  ["whose schema is overwritten", () => overwrite(FILE, 100, 3000)],
  ["with a damaged page", () => overwrite(FILE, 4096, 4096)],
  ["that is a text", () => writeFileSync(FILE, "Feed Rex at noon. ".repeat(100))],
  ["that is empty, with a log beside it", () => {
    writeFileSync(FILE, "");
    writeFileSync(`${FILE}-wal`, "the log");
  }],
];

for (const [what, damage] of DAMAGES) {
  test.inFolder(`restore replaces a file ${what}, and keeps it with its log`, async () => {
    await makeBackup();
    damage();
    const logs = existsSync(`${FILE}-wal`) ? ["the log"] : [];
    assert.equal((await runLine("check")).status, 2);
    assert.match(await succeed("restore copy.db"), /^\S+: the replaced file$/m);
    await assertSound();
    const isLog = (name: string) => name.endsWith("-wal");
    assert.deepEqual(listKept().filter(isLog).map((name) => readFileSync(name, "utf8")), logs);
    assert.equal(readdirSync(".").length, 3 + logs.length);
  });
}

// Other programs read and damage the file: a process that closes it loses its locks on it (POSIX).
const run = (name: string, ...args: string[]) => execFileSync(name, args, { stdio: "ignore" });
const zeroes = () => run("dd", "if=/dev/zero", `of=${FILE}`, "bs=4096", "count=1", "conv=notrunc");
const copyOver = () => run("cp", COPY, FILE);
for (const [state, damage] of [["sound", () => {}], ["damaged", zeroes], ["replaced", copyOver]] as const) {
  test.inFolder(`restore refuses a ${state} file that a server has open, and the server goes on`, async () => {
    await makeBackup();
    await using store = SqliteStore.open(FILE, "never");
    await store.create({ name: "Sam", categoryId: 7n, status: "sold" });
    damage();
    run("cp", FILE, "before");
    await refuse("restore copy.db", "pets.db is open in another program", 1);
    run("cmp", FILE, "before");
    assert.deepEqual(readdirSync(".").toSorted(), ["before", COPY, FILE, `${FILE}-shm`, `${FILE}-wal`]);
    if (state === "sound") assert.equal(await store.create({ name: "Tom", categoryId: 7n, status: "sold" }), 5n);
  });
}

test.inFolder("restore puts a backup over one that was copied beside the log of a killed server, and keeps both", async () => {
  await addPets("Rex", "Bo");
  await succeed("backup copy.db");
  const server = SqliteStore.open(FILE, "never");
  await server.create({ name: "Max", categoryId: 7n, status: "sold" });
  run("cp", `${FILE}-wal`, "killed-wal");
  await server.close();
  run("cp", COPY, FILE);
  run("cp", "killed-wal", `${FILE}-wal`);
  const line = /^petstore: .*pets\.db has the write-ahead log of another file beside it.*petstore restore/;
  await refuse("check", line);
  await succeed("restore copy.db");
  assert.deepEqual(namesIn(FILE), ["Rex", "Bo"]);
  assert.equal(listKept().length, 2);
  await assertSound();
});

test.inFolder("a restore that was cut short is repeated, and its mark is gone, also if the log was removed already", async () => {
  for (const log of ["", "the log"]) {
    await makeBackup();
    writeFileSync(`${FILE}-restoring`, "A restore began.");
    if (log) writeFileSync(`${FILE}-wal`, log);
    await refuse("check", "was cut short");
    await succeed("restore copy.db");
    assert.equal(existsSync(`${FILE}-restoring`), false);
    await assertSound();
    rmSync(FILE);
    rmSync(COPY);
  }
});

test.inFolder("a restore that cannot make its mark leaves no copy, and the next one succeeds", async () => {
  await makeBackup();
  writeFileSync(FILE, "");
  writeFileSync(`${FILE}-wal`, "the log");
  // A folder cannot be replaced by a file.
  mkdirSync(`${FILE}-restoring/x`, { recursive: true });
  const before = readdirSync(".").toSorted();
  assert.notEqual((await runLine("restore copy.db")).status, 0);
  assert.deepEqual(readdirSync(".").toSorted(), before);
  rmSync(`${FILE}-restoring`, { recursive: true });
  await succeed("restore copy.db");
  await assertSound();
});

test.inFolder("restore lists the keys that are valid again and those that are missing, and ends the first with --revoke-newer", async () => {
  const statesOf = (keys: Record<"label" | "state", string>[]) => keys.map(({ label, state }) => `${label} ${state}`);
  for (const label of ["kept", "revoked", "rotated", "purged", "ended"]) await addKey(`--label=${label}`);
  execute(FILE, "UPDATE api_keys SET expires_at = 2 WHERE label = 'ended'");
  const [, revoked, rotated, purged] = (await listKeys()).map(({ id }) => id);
  await succeed("backup copy.db");
  await succeed(`keys revoke ${revoked}`);
  await succeed(`keys rotate ${rotated}`);
  await addKey("--label=short-lived");
  execute(FILE, "UPDATE api_keys SET revoked_at = 1 WHERE label IN ('ended', 'short-lived')");
  execute(FILE, "DELETE FROM api_keys WHERE label = 'purged'");
  const present = await listKeys();
  const successor = present[4]!.id;
  const missing = `${successor} (rotated) is missing, because it was made after the backup`;
  copyFileSync(FILE, "present.db");

  const again = [[revoked, "revoked"], [rotated, "rotated"], [purged, "purged"]];
  const [, , ...told] = (await succeed("restore copy.db")).trim().split("\n");
  assert.deepEqual(told.map((line) => line.replace(/; .* keys revoke/, "; keys revoke")), [
    ...again.map(([id, label]) => `${id} (${label}) is valid again or for longer; keys revoke ${id} ends it`),
    missing,
  ]);
  const valid = ["kept", "revoked", "rotated", "purged"].map((label) => `${label} valid`);
  assert.deepEqual(statesOf(await listKeys()), [...valid, "ended expired"]);

  copyFileSync("present.db", FILE);
  const [, kept = "", ...changes] = (await succeed("restore copy.db --revoke-newer")).trim().split("\n");
  assert.ok(existsSync(kept.split(": ")[0]!));
  assert.deepEqual(changes, [...again.map(([id, label]) => `${id} (${label}) ends as in the replaced file`), missing]);
  const after = await listKeys();
  assert.deepEqual(after.slice(0, 3), present.slice(0, 3));
  assert.deepEqual(statesOf(after.slice(3)), ["purged revoked", "ended expired"]);
});
