/**
 * The commands that manage API keys, beside servers that follow them, and the key file, which is used
 * if only its owner can read it. Refused command lines: refusals_test.ts.
 */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { defaultCallerId } from "../../lib/access/key_digest.ts";
import { isMistyped } from "../../lib/access/key_text.ts";
import { provideFirstKey } from "../../lib/server/first_key/first_key.ts";
import { readOrMakeKey } from "../../lib/server/first_key/key_file.ts";
import { SettingError } from "../../lib/server/process/start_error.ts";
import { createMemoryStore } from "../../mod.ts";
import { execute } from "../support/database.ts";
import { test, withServerHere } from "../support/server/in_process.ts";
import {
  addKey,
  follows,
  idOf,
  listKeys,
  refuse,
  runLine,
  statusOf,
  STORE,
  succeed,
} from "../support/server/pet_files.ts";
import { addPet, readKey, withServer } from "../support/server/server_process.ts";

test.inFolder("keys are added, rotated and revoked beside a server on an SQLite file, which follows", (folder) =>
  withServer(folder, { args: [STORE, "--log=off"] }, async (server) => {
    const first = readKey(".");
    const added = await runLine("keys add --label ci --expires 90d");
    const ci = added.stdout.trim();
    assert.match(added.stdout, /^petstore_[0-9A-Za-z]{36}\n$/);
    assert.equal(isMistyped(ci), false);
    assert.match(added.stderr, /^petstore: key-[0-9a-f]{12} \(ci\) may read and write and expires 20\S+Z\. .*again\n$/);
    const reader = await addKey("--read-only --label=reader");
    for (const key of [first, ci, reader]) assert.equal(await statusOf(server, key), 200);
    await assert.rejects(addPet(server, reader), /answered with 403: .*insufficient_scope/);

    const next = (await succeed(`keys rotate ${await idOf("ci")} --overlap 7d`)).trim();
    for (const key of [next, ci]) assert.equal(await statusOf(server, key), 200);
    const [, old] = await listKeys();
    assert.equal(Math.round((Date.parse(old!.expires!) - Date.now()) / 86_400_000), 7);

    assert.equal(await succeed(`keys revoke ${old!.id}`), `${old!.id} is revoked\n`);
    // The key itself, as it was found somewhere, in place of its id.
    assert.equal(await succeed(`keys revoke ${reader}`), `${await idOf("reader")} is revoked\n`);
    await follows(server, reader, 401);
    assert.deepEqual([await statusOf(server, ci), await statusOf(server, next)], [401, 200]);
    assert.deepEqual((await listKeys()).map(({ state }) => state), ["valid", "revoked", "revoked", "valid"]);
    const table = await succeed("keys list");
    assert.match(table, /^ID +STATE +RIGHTS +CREATED +EXPIRES +CALLER +LABEL\nkey-\w+ +valid +read, write +20/);
    const shown = table + JSON.stringify(await listKeys());
    for (const secret of [first, ci, "digest"]) assert.ok(!shown.includes(secret));

    // Even the first key can be revoked, and the last one, with a warning.
    await succeed(`keys revoke ${first}`);
    const last = await runLine(`keys revoke ${next}`);
    assert.equal(last.stderr, "petstore: no key of the store is valid now; petstore keys add makes one\n");
    for (const key of [first, next]) await follows(server, key, 401);
  }));

test.inFolder("a key expires at the beginning of a day, and then it cannot be replaced", async () => {
  await addKey("--label=day --expires=2091-01-31");
  const [day] = await listKeys();
  assert.equal(day?.expires, "2091-01-31T00:00:00.000Z");
  execute("pets.db", `UPDATE api_keys SET expires_at = ${Date.now() - 1_000}`);
  await refuse(`keys rotate ${day!.id}`, "The API keys cannot be used: There is no valid key ");
});

test.inFolder("a revoked key leaves the key files, also those of other owners and permissions", async () => {
  // A server that starts in the folder `a` has both files there.
  mkdirSync("a/data", { recursive: true });
  const store = "--store=sqlite:a/data/petstore.db";
  const file = "a/data/api-key";
  const key = await addKey(`--label=x ${store}`);
  writeFileSync(file, `${key}\n`);
  chmodSync(file, 0o644);
  // Root revokes the key of a service that has a user of its own.
  if (Deno.uid() === 0) Deno.chownSync(file, 65534, 65534);
  // The file of the working directory cannot be read.
  mkdirSync("data/api-key", { recursive: true });
  const { status, stderr } = await runLine(`keys revoke ${key} ${store}`);
  assert.match(stderr, /^petstore: (\S+\/data\/api-key) must be a regular file\. If \1 has this key, remove it$/m);
  assert.match(stderr, /^petstore: \S+a\/data\/api-key had this key, and is removed$/m);
  assert.deepEqual([status, existsSync(file)], [0, false]);
});

test.inFolder("a server with pets in memory makes a key for itself, shows it, and makes no file", async () => {
  await withServerHere({ args: ["--store=memory:"] }, async (server) => {
    const [, key = ""] = server.written.stdout.match(/API key +(petstore_\w+) \(new, until the server stops\)$/m) ?? [];
    assert.equal(await statusOf(server, key), 200);
  });
  const { status, stderr } = await runLine("serve --store=memory: --log=json");
  assert.equal(status, 2);
  assert.match(stderr, /a log as JSON does not show; set a key/);
  assert.deepEqual(readdirSync("."), []);
});

test.inFolder("a key can be added before the first start, which then makes none, and the store does not have its text", async () => {
  const { stdout, stderr } = await runLine("keys add --label=mine --store=sqlite:data/petstore.db");
  const key = stdout.trim();
  assert.match(stderr, /^petstore: sqlite:data\/petstore\.db is new; servers that use it will accept the key\n/m);
  await withServerHere({}, async (server) => {
    assert.equal(await statusOf(server, key), 200);
    assert.match(server.written.stdout, /API key +in the store/);
  });
  assert.ok(!existsSync("data/api-key"));
  const bytes = readFileSync("data/petstore.db", "latin1");
  assert.ok(!bytes.includes(key.slice(0, 20)) && !bytes.includes(key.slice(-20)));
});

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();

function makeFile(path: string, mode: number, text = `${KEY}\n`): void {
  Deno.writeTextFileSync(path, text);
  // The umask would reduce the mode of a new file.
  Deno.chmodSync(path, mode);
}

async function assertRefused(path: string, why = "") {
  await assert.rejects(readOrMakeKey(path), ({ message, name }) => {
    assert.equal(name, SettingError.name, message);
    assert.ok(message.includes(why) && !message.includes(KEY.slice(3, 20)), message);
    return true;
  });
}

test.inFolder("a key file that users other than its owner can read, write or run is refused, also behind a link", async () => {
  Deno.symlinkSync("target", "link");
  await assertRefused("link", "link holds no key; remove it, and the next start makes one");
  for (const others of [0o040, 0o004, 0o020, 0o001]) {
    makeFile("target", 0o600 | others);
    await assertRefused("link", "can be read by users other than its owner: run chmod 600");
  }
  makeFile("target", 0o400);
  for (const path of ["target", "link"]) assert.deepEqual(await readOrMakeKey(path), { key: KEY, isNew: false });
  if (Deno.uid() !== 0) return;
  Deno.chownSync("target", 65534, 65534);
  await assertRefused("target", "must belong to the user that runs the server");
});

test.inFolder("what is no key is refused: a device, no key, two keys, a long text", async () => {
  Deno.symlinkSync("/dev/zero", "device");
  await assertRefused("device", "must be a regular file");
  const texts = [["\n", "holds no key"], [`${KEY}\n${KEY}\n`, "must have one key"], [
    KEY.repeat(100),
    "cannot be used",
  ]];
  for (const [text = "", shows = ""] of texts) {
    makeFile("api-key", 0o600, text);
    await assertRefused("api-key", shows);
    assert.equal(Deno.readTextFileSync("api-key"), text);
  }
});

test.inFolder("a key file in a folder that others can write to is refused, since they can replace it", async () => {
  Deno.mkdirSync("data");
  makeFile("data/api-key", 0o600);
  Deno.mkdirSync("own", { mode: 0o700 });
  makeFile("own/key", 0o600);
  Deno.symlinkSync("../own/key", "data/link");
  Deno.symlinkSync("../data/link", "own/by-link");
  for (const mode of [0o777, 0o720, 0o2775]) {
    Deno.chmodSync("data", mode);
    // A first start makes no key where the next one would refuse it.
    for (const path of ["data/api-key", "data/other", "own/by-link"]) {
      await assertRefused(path, "data holds the API key and others can write to it");
    }
    assert.equal([...Deno.readDirSync("data")].length, 2);
  }
  // /tmp has the second mode: a file of another user can be neither removed nor replaced there.
  for (const mode of [0o755, 0o1777]) {
    Deno.chmodSync("data", mode);
    for (const path of ["data/api-key", "own/by-link"]) assert.equal((await readOrMakeKey(path)).key, KEY);
  }
});

test.inFolder("servers that start for the first time at one moment agree on a key, which is its owner's alone whatever the umask allows", async () => {
  const umask = Deno.umask(0);
  try {
    // None finds a key, and each waits once before it names its file.
    const found = await Promise.all([1, 2, 3].map(() => readOrMakeKey("data/api-key")));
    assert.equal(found.filter(({ isNew }) => isNew).length, 1);
    assert.deepEqual(new Set(found.map(({ key }) => `${key}\n`)), new Set([Deno.readTextFileSync("data/api-key")]));
    assert.match(found[0]!.key, /^petstore_[0-9A-Za-z]{36}$/);
    const modes = ["data/api-key", "data"].map((path) => (Deno.statSync(path).mode ?? 0) & 0o777);
    assert.deepEqual(modes, [0o600, 0o700]);
    assert.equal(Deno.readTextFileSync("data/.gitignore"), "*\n");
  } finally {
    Deno.umask(umask);
  }
});

test.inFolder("the key of the file is accepted with the caller that it has as a setting, and no more once it is revoked", async () => {
  const { keys } = createMemoryStore();
  const provide = () => provideFirstKey([], keys, true);
  assert.equal((await provideFirstKey([KEY], keys, true)).inShell, "<API_KEY>");
  const made = await provide();
  assert.deepEqual([made.newKey?.slice(0, 9), made.note], ["petstore_", "new, kept in data/api-key"]);
  const [first] = await keys.list();
  assert.equal(first!.caller, defaultCallerId(first!.digest));
  assert.equal((await provide()).note, "in data/api-key");
  // A file that cannot be used does not matter while the store has a valid key.
  Deno.chmodSync("data/api-key", 0o660);
  assert.match((await provide()).note, /^in the store \(petstore keys list\); data.* chmod 600/);
  // The file is still there, for example because another program has revoked the key.
  await keys.revoke(first!.id, new Date());
  await assert.rejects(provide, /chmod/);
  Deno.chmodSync("data/api-key", 0o600);
  for (const hasFile of [true, false]) {
    if (!hasFile) Deno.removeSync("data/api-key");
    assert.equal((await provide()).note, "none is valid (petstore keys add makes one)");
  }
  assert.equal((await keys.list()).length, 1);
});
