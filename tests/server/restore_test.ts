/** `restore`: what becomes of the file, of the one until now, and of the keys. Killed restores: tests/heavy/power. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { SqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { test } from "../support/server/in_process.ts";
import { FILE, refuse, runLine, succeed } from "../support/server/pet_files.ts";
import { addKey, listKeys } from "../support/server/keys.ts";
import { execute, query } from "../support/database.ts";
import { overwrite } from "../support/system/disk.ts";

const COPY = "copy.db";

async function addPets(...names: string[]): Promise<void> {
  await using store = new SqliteStore(FILE, "never");
  for (const name of names) await store.create({ name, categoryId: 7n, status: "sold" });
}

function namesIn(path: string): unknown[] {
  return query(path, "SELECT name FROM pets ORDER BY id").map(({ name }) => name);
}

/** The names under which restores have kept the replaced file and its log. */
function listKept(folder = "."): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(`${FILE}.`));
}

/** Makes a store and its backup. Another pet, Max, is only in the log of the store, as SIGKILL leaves it. */
async function makeFiles(): Promise<void> {
  await addPets("Rex", "Bo");
  await succeed(`backup ${COPY}`);
  await using store = new SqliteStore(FILE, "never");
  await store.create({ name: "Max", categoryId: 7n, status: "sold" });
  for (const end of ["", "-wal"]) copyFileSync(FILE + end, `killed${end}`);
  await store.close();
  for (const end of ["", "-wal"]) renameSync(`killed${end}`, FILE + end);
}

test.inFolder("restore puts the checked backup in the place of the file, and keeps that with what was in its log", async () => {
  await makeFiles();
  mkdirSync("elsewhere");
  for (const end of ["", "-wal"]) renameSync(FILE + end, `elsewhere/${FILE}${end}`);
  symlinkSync(`elsewhere/${FILE}`, FILE);
  chmodSync(FILE, 0o640);
  const printed = await succeed("restore copy.db");
  assert.match(
    printed,
    /^pets\.db: 2 pets from copy\.db, checked\n\S+elsewhere\/pets\.db\.[-\dT]+Z: the replaced file\n$/,
  );
  assert.deepEqual(namesIn(FILE), ["Rex", "Bo"]);
  assert.deepEqual([lstatSync(FILE).isSymbolicLink(), statSync(FILE).mode & 0o777], [true, 0o640]);
  const [kept] = listKept("elsewhere");
  assert.deepEqual([namesIn(`elsewhere/${kept}`), readdirSync("elsewhere")], [["Rex", "Bo", "Max"], [FILE, kept]]);
  await addPets("Sam");
  assert.deepEqual([namesIn(FILE), namesIn(COPY)], [["Rex", "Bo", "Sam"], ["Rex", "Bo"]]);
});

test.inFolder("restore makes a file where there is none, for the owner of the folder, and says what is not known", async () => {
  await makeFiles();
  mkdirSync("new");
  const isRoot = Deno.uid() === 0;
  if (isRoot) chownSync("new", 10_001, 10_002);
  const printed = await succeed("restore copy.db --store=sqlite:new/pets.db");
  assert.match(printed, /^new\/pets\.db: 2 pets from \S+, checked\nKeys that were revoked .* may be valid again/);
  assert.deepEqual([namesIn("new/pets.db"), readdirSync("new")], [["Rex", "Bo"], [FILE]]);
  const { uid, gid } = statSync("new/pets.db");
  if (isRoot) assert.deepEqual([uid, gid], [10_001, 10_002]);
});

/** What is wrong with a file, and the ends of the names under which a restore keeps it. */
const UNUSABLE: [what: string, damage: () => void, kept: RegExp][] = [
  ["whose schema is overwritten", () => {
    rmSync(`${FILE}-wal`);
    overwrite(FILE, 100, 3000);
  }, /Z$/],
  ["that is empty, with its log beside it", () => writeFileSync(FILE, ""), /Z,.*Z-wal$/],
  ["that is missing, with its log there", () => rmSync(FILE), /Z-wal$/],
  ["over which its backup was copied, beside the log of before", () => copyFileSync(COPY, FILE), /Z,.*Z-wal$/],
];

for (const [what, damage, kept] of UNUSABLE) {
  test.inFolder(`restore replaces a file ${what}, and keeps it with its log`, async () => {
    await makeFiles();
    damage();
    const [file, log] = ["", "-wal"].map((end) => readIfThere(FILE + end));
    assert.equal((await runLine("check")).status, 2);
    await succeed("restore copy.db");
    assert.deepEqual(namesIn(FILE), ["Rex", "Bo"]);
    const names = listKept();
    assert.match(names.join(), kept);
    assert.deepEqual(names.map(readIfThere), [file, log].filter((bytes) => bytes !== undefined));
  });
}

function readIfThere(path: string): Uint8Array | undefined {
  return readdirSync(".").includes(path) ? Deno.readFileSync(path) : undefined;
}

// Other programs read and damage the file: a process that closes it loses its locks on it (POSIX).
const run = (name: string, ...args: string[]) => execFileSync(name, args, { stdio: "ignore" });
const zeroes = () => run("dd", "if=/dev/zero", `of=${FILE}`, "bs=4096", "count=1", "conv=notrunc");
for (const [state, damage] of [["sound", () => {}], ["damaged", zeroes]] as const) {
  test.inFolder(`restore refuses a ${state} file that a server has open, and the server goes on`, async () => {
    await makeFiles();
    await using store = new SqliteStore(FILE, "never");
    await store.create({ name: "Sam", categoryId: 7n, status: "sold" });
    damage();
    run("cp", FILE, "before");
    await refuse("restore copy.db", "pets.db is open in another program", 1);
    run("cmp", FILE, "before");
    assert.deepEqual(readdirSync(".").toSorted(), ["before", COPY, FILE, `${FILE}-shm`, `${FILE}-wal`]);
    if (state === "sound") assert.equal(await store.create({ name: "Tom", categoryId: 7n, status: "sold" }), 5n);
  });
}

test.inFolder("no command takes a missing store for new beside what a restore has left, and each names that", async () => {
  await makeFiles();
  await succeed("restore copy.db");
  let [left = ""] = listKept();
  for (const name of [left, `${left}-wal`, `${FILE}.0.tmp`]) {
    renameSync(left, name);
    left = name;
    rmSync(FILE);
    const names = readdirSync(".");
    for (const line of ["serve", "check", "backup b.db", "keys list", "keys add --label=ci"]) {
      await refuse(line, `pets.db does not exist, but beside it is ${name}, of a restore`);
      assert.deepEqual(readdirSync("."), names, line);
    }
    await succeed("restore copy.db");
  }
  // A restore was killed before the file that it kept lost its own name.
  linkSync(FILE, `${FILE}.2026-11-29T12-00-00-000Z`);
  const { stderr } = await runLine("serve --log=off --key=k");
  assert.match(stderr, /^petstore: pets\.db\.0\.tmp is of a command .*\npetstore: pets\.db\.2026\S+ is of a command/);
});

test.inFolder("restore lists the keys that are valid again, and ends them with --revoke-newer", async () => {
  for (const label of ["kept", "revoked", "rotated", "purged", "ended"]) await addKey(`--label=${label}`);
  execute(FILE, "UPDATE api_keys SET expires_at = 2 WHERE label = 'ended'");
  const [, revoked, rotated, purged] = (await listKeys()).map(({ id }) => id);
  await succeed("backup copy.db");
  await succeed(`keys revoke ${revoked}`);
  await succeed(`keys rotate ${rotated}`);
  execute(FILE, "UPDATE api_keys SET revoked_at = 1 WHERE label = 'ended'");
  execute(FILE, "DELETE FROM api_keys WHERE label = 'purged'");
  const present = await listKeys();
  copyFileSync(FILE, "present.db");

  const revived = [[revoked, "revoked"], [rotated, "rotated"], [purged, "purged"]];
  const [, , ...told] = (await succeed("restore copy.db")).trim().split("\n");
  assert.deepEqual(
    told,
    revived.map(([id, label]) => `${id} (${label}) is valid again or for longer; petstore keys revoke ${id} ends it`),
  );
  const statesOf = (keys: Record<"label" | "state", string>[]) => keys.map(({ label, state }) => `${label} ${state}`);
  const valid = ["kept", "revoked", "rotated", "purged"].map((label) => `${label} valid`);
  assert.deepEqual(statesOf(await listKeys()), [...valid, "ended expired"]);

  copyFileSync("present.db", FILE);
  const [, , ...changes] = (await succeed("restore copy.db --revoke-newer")).trim().split("\n");
  assert.deepEqual(changes, revived.map(([id, label]) => `${id} (${label}) ends as in the replaced file`));
  const after = await listKeys();
  assert.deepEqual(after.slice(0, 3), present.slice(0, 3));
  assert.deepEqual(statesOf(after.slice(3)), ["purged revoked", "ended expired"]);
});
