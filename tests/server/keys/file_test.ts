/** The key file is used if only its owner can read it. Otherwise it is refused without showing the key. */

import assert from "node:assert/strict";
import { defaultCallerId } from "../../../lib/access/key_digest.ts";
import { provideFirstKey } from "../../../lib/server/first_key/first_key.ts";
import { readOrMakeKey } from "../../../lib/server/first_key/key_file.ts";
import { SettingError } from "../../../lib/server/process/start_error.ts";
import { createMemoryStore } from "../../../mod.ts";
import { test } from "../../support/server/in_process.ts";

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
