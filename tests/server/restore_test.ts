/** `restore`: what becomes of the file, of the one until now, and of the keys. Killed restores: tests/heavy/power. */

import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { test } from "../support/server/in_process.ts";
import { addKey, FILE, listKeys, refuse, runLine, succeed } from "../support/server/pet_files.ts";
import { execute, query } from "../support/database.ts";
import { command } from "../support/system/commands.ts";
import { overwrite } from "../support/system/disk.ts";
import { whileReplaced } from "../support/while_replaced.ts";

const COPY = "copy.db";

/** Makes a store and its backup, which has Rex. Max is only in the log of the store, as SIGKILL leaves it. */
async function makeFiles(): Promise<void> {
  await using store = openSqliteStore(FILE, "never");
  await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
  await succeed(`backup ${COPY}`);
  await store.create({ name: "Max", categoryId: 7n, status: "sold" });
  for (const end of ["", "-wal"]) copyFileSync(FILE + end, `killed${end}`);
  await store.close();
  for (const end of ["", "-wal"]) renameSync(`killed${end}`, FILE + end);
}

function namesIn(path: string): unknown[] {
  return query(path, "SELECT name FROM pets ORDER BY id").map(({ name }) => name);
}

/** The names under which restores have kept the replaced file and its log. */
function listKept(folder = "."): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(`${FILE}.`)).toSorted();
}

test.inFolder("restore puts the checked backup in the place of the file, and keeps that with what was in its log", async () => {
  await makeFiles();
  mkdirSync("elsewhere");
  for (const end of ["", "-wal"]) renameSync(FILE + end, `elsewhere/${FILE}${end}`);
  symlinkSync(`elsewhere/${FILE}`, FILE);
  chmodSync(FILE, 0o640);
  assert.match(
    await succeed("restore copy.db"),
    /^pets\.db: 1 pet from copy\.db, checked\n\S+elsewhere\/pets\.db\.[-\dT]+Z: the replaced file\n$/,
  );
  assert.deepEqual([lstatSync(FILE).isSymbolicLink(), statSync(FILE).mode & 0o777], [true, 0o640]);
  const [kept] = listKept("elsewhere");
  assert.deepEqual(readdirSync("elsewhere").toSorted(), [FILE, kept]);
  assert.deepEqual([namesIn(FILE), namesIn(`elsewhere/${kept}`)], [["Rex"], ["Rex", "Max"]]);
});

test.inFolder("restore makes a file where there is none, for the owner of the folder, and says what is not known", async () => {
  await makeFiles();
  mkdirSync("new");
  const isRoot = Deno.uid() === 0;
  if (isRoot) chownSync("new", 10_001, 10_002);
  const printed = await succeed("restore copy.db --store=sqlite:new/pets.db");
  assert.match(printed, /^new\/pets\.db: 1 pet from \S+, checked\nKeys that were revoked .* may be valid again/);
  assert.deepEqual([namesIn("new/pets.db"), readdirSync("new")], [["Rex"], [FILE]]);
  const { uid, gid } = statSync("new/pets.db");
  if (isRoot) assert.deepEqual([uid, gid], [10_001, 10_002]);
});

/** What is wrong with a file, and the ends of the names under which a restore keeps it. */
const UNUSABLE: [what: string, damage: () => void, kept: RegExp][] = [
  ["whose schema is overwritten", () => {
    rmSync(`${FILE}-wal`);
    overwrite(FILE, 100, 3000);
  }, /Z$/],
  ["that is missing, with its log there", () => rmSync(FILE), /Z-wal$/],
  ["over which its backup was copied, beside the log of before", () => copyFileSync(COPY, FILE), /Z,.*Z-wal$/],
];

for (const [what, damage, kept] of UNUSABLE) {
  test.inFolder(`restore replaces a file ${what}, and keeps it with its log`, async () => {
    await makeFiles();
    damage();
    const before = [FILE, `${FILE}-wal`].filter((name) => existsSync(name)).map((name) => readFileSync(name));
    assert.equal((await runLine("check")).status, 2);
    await succeed("restore copy.db");
    assert.deepEqual(namesIn(FILE), ["Rex"]);
    const names = listKept();
    assert.match(names.join(), kept);
    assert.deepEqual(names.map((name) => readFileSync(name)), before);
  });
}

// Another program damages the file: a process that closes it loses its locks on it (POSIX).
const zeroes = () => command("dd", "if=/dev/zero", `of=${FILE}`, "bs=4096", "count=1", "conv=notrunc");
for (const [state, damage] of [["sound", () => {}], ["damaged", zeroes]] as const) {
  test.inFolder(`restore refuses a file that is ${state} and that a server has open, and the server goes on`, async () => {
    await makeFiles();
    await using store = openSqliteStore(FILE, "never");
    await store.create({ name: "Sam", categoryId: 7n, status: "sold" });
    damage();
    await refuse("restore copy.db", "pets.db is open in another program", 1);
    assert.deepEqual(readdirSync(".").toSorted(), [COPY, FILE, `${FILE}-shm`, `${FILE}-wal`]);
    if (state === "sound") assert.equal(await store.create({ name: "Tom", categoryId: 7n, status: "sold" }), 4n);
  });
}

test.inFolder("a backup with two names, as rsnapshot makes them, can be checked and restored, and a server does not start on it", async () => {
  await makeFiles();
  linkSync(COPY, "daily.db");
  for (const line of ["check --store=sqlite:daily.db", "restore daily.db"]) await succeed(line);
  await refuse("serve --store=sqlite:daily.db", "daily.db is a file with several names");
});

test.inFolder("restores at one moment, as after the clock was set back, keep each file under a name of its own", async () => {
  await makeFiles();
  const time = Date.now();
  await whileReplaced(Date, { now: () => time }, async () => {
    for (const damage of [() => {}, () => overwrite(FILE, 0, 3000), () => {}]) {
      damage();
      await succeed("restore copy.db");
    }
  });
  assert.equal(listKept().length, 3);
});

test.inFolder("restore leaves a file that replaces the one that it looked at, and the log of that file", async () => {
  await makeFiles();
  copyFileSync(FILE, "new");
  renameSync(`${FILE}-wal`, "new-wal");
  const { exec } = DatabaseSync.prototype;
  const members: Partial<DatabaseSync> = {
    exec(sql) {
      if (sql.includes("BEGIN EXCLUSIVE")) { for (const end of ["", "-wal"]) renameSync(`new${end}`, FILE + end); }
      exec.call(this, sql);
    },
  };
  const shows = "pets.db or a file beside it has been deleted, moved or replaced";
  await whileReplaced(DatabaseSync.prototype, members, () => refuse("restore copy.db", shows));
  assert.deepEqual([listKept(), namesIn(FILE)], [[], ["Rex", "Max"]]);
});

/** What is wrong with the present file, so that no lock keeps another restore from it. */
const UNLOCKED: [what: string, damage: () => void][] = [
  ["a damaged file", () => {
    rmSync(`${FILE}-wal`);
    overwrite(FILE, 0, 3000);
  }],
  ["a missing file", () => ["", "-wal"].forEach((end) => rmSync(FILE + end))],
  ["a missing file whose log is there", () => rmSync(FILE)],
];

for (const [what, damage] of UNLOCKED) {
  test.inFolder(`restore of ${what} leaves the file that another restore has put there meanwhile, and a server uses`, async () => {
    await makeFiles();
    damage();
    let server: ReturnType<typeof openSqliteStore> | undefined;
    // The copy of the backup is complete when its thread is told to end.
    const notify = () => {
      rmSync(`${FILE}-wal`, { force: true });
      renameSync(COPY, FILE);
      server = openSqliteStore(FILE, "never");
      return 0;
    };
    await whileReplaced(Atomics, { notify }, () => refuse("restore copy.db", "replaced by another program", 1));
    await using _ = server;
    assert.equal(await server!.create({ name: "Sam", categoryId: 7n, status: "sold" }), 2n);
    assert.deepEqual(listKept(), []);
  });
}

test.inFolder("no command takes a missing store for new beside what a restore has left, and each names that", async () => {
  await makeFiles();
  await succeed("restore copy.db");
  const [kept = ""] = listKept();
  rmSync(FILE);
  for (const left of [`${kept}-wal`, `${FILE}.0.tmp`]) {
    renameSync(listKept()[0]!, left);
    for (const line of ["serve", "check", "backup b.db", "keys add --label=ci"]) {
      await refuse(line, `pets.db does not exist, but beside it is ${left}, of a restore`);
    }
    assert.deepEqual(readdirSync(".").toSorted(), [COPY, left]);
  }
  await succeed("restore copy.db");
  // A restore was killed before the file that it kept lost its own name.
  linkSync(FILE, kept);
  assert.equal((await runLine("serve --log=off --key=k")).stderr, "");
});

test.inFolder("restore lists the keys that are valid again, and ends them with --revoke-newer", async () => {
  for (const label of ["kept", "revoked", "rotated", "purged", "ended"]) await addKey(`--label=${label}`);
  execute(FILE, "UPDATE api_keys SET expires_at = 2 WHERE label = 'ended'");
  // Another program may have written a label that would look like two lines.
  execute(FILE, "UPDATE api_keys SET label = 'pur' || char(10) || 'ged' WHERE label = 'purged'");
  const [, revoked, rotated, purged] = (await listKeys()).map(({ id }) => id);
  await succeed("backup copy.db");
  await succeed(`keys revoke ${revoked}`);
  await succeed(`keys rotate ${rotated}`);
  execute(
    FILE,
    "UPDATE api_keys SET revoked_at = 1 WHERE label = 'ended'; DELETE FROM api_keys WHERE label LIKE 'pur%'",
  );
  const present = await listKeys();
  copyFileSync(FILE, "present.db");

  const revived = `${revoked} (revoked),${rotated} (rotated),${purged} (pur\\u000aged)`;
  const toldOf = (printed: string) => printed.match(/^key-\w+ \([\w\\]+\)(?= is valid again| ends)/gm)?.join();
  assert.equal(toldOf(await succeed("restore copy.db")), revived);
  assert.deepEqual((await listKeys()).map(({ state }) => state), ["valid", "valid", "valid", "valid", "expired"]);

  copyFileSync("present.db", FILE);
  assert.equal(toldOf(await succeed("restore copy.db --revoke-newer")), revived);
  const [, , , ...others] = await listKeys();
  assert.deepEqual((await listKeys()).slice(0, 3), present.slice(0, 3));
  assert.deepEqual(others.map(({ label, state }) => `${label} ${state}`), ["pur\nged revoked", "ended expired"]);
});
