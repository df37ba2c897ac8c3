/** The key file is used if only its owner can read it. Otherwise it is refused without showing the key. */

import assert from "node:assert/strict";
import { defaultCallerId } from "../../../lib/access/key_digest.ts";
import { provideFirstKey } from "../../../lib/server/first_key/first_key.ts";
import { readOrMakeKey } from "../../../lib/server/first_key/key_file.ts";
import { SettingError } from "../../../lib/server/process/start_error.ts";
import { createMemoryStore } from "../../../mod.ts";
import { inFolder } from "../../support/server/in_process.ts";
import { testUnless, testWith } from "../../support/test_with.ts";

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
const testFile = testWith(inFolder);

function makeFile(path: string, mode: number, text = `${KEY}\n`): void {
  Deno.writeTextFileSync(path, text);
  // The umask would reduce the mode of a new file.
  Deno.chmodSync(path, mode);
}

async function assertRefused(path: string, why = ""): Promise<void> {
  await assert.rejects(readOrMakeKey(path), ({ message, name }) => {
    assert.equal(name, SettingError.name, message);
    assert.ok(message.includes(why) && !message.includes(KEY.slice(3, 20)), message);
    return true;
  });
}

testFile("a key file that users other than its owner can read, write or run is refused", async () => {
  const path = "api-key";
  for (const others of [0o040, 0o004, 0o020, 0o002, 0o010, 0o001]) {
    makeFile(path, 0o600 | others);
    await assertRefused(path, "can be read by users other than its owner: run chmod 600");
  }
  for (const mode of [0o600, 0o400, 0o700]) {
    makeFile(path, mode);
    assert.deepEqual(await readOrMakeKey(path), { key: KEY, isNew: false });
  }
});

testFile("a link counts as what it leads to", async () => {
  const [link, target] = ["api-key", "target"];
  Deno.symlinkSync(target, link);
  await assertRefused(link, "api-key holds no key; remove it, and the next start makes one");
  assert.throws(() => Deno.lstatSync(target), Deno.errors.NotFound, "a key was made behind a link");
  makeFile(target, 0o644);
  await assertRefused(link, "can be read by users other than its owner");
  Deno.chmodSync(target, 0o600);
  assert.equal((await readOrMakeKey(link)).key, KEY);
});

testFile("what is no key is refused: a folder, a device, no key, two keys, a megabyte", async () => {
  const path = "api-key";
  Deno.mkdirSync(path);
  await assertRefused(path);
  Deno.removeSync(path);
  for (const target of ["/dev/zero", "api-key"]) {
    Deno.symlinkSync(target, path);
    await assertRefused(path, "must be a regular file");
    Deno.removeSync(path);
  }
  for (const text of ["\n", `${KEY}\n${KEY}\n`, `${KEY} ${KEY}`, `${KEY}\0`, KEY.repeat(20_000), "schlüssel"]) {
    makeFile(path, 0o600, text);
    await assertRefused(path);
    assert.equal(Deno.readTextFileSync(path), text);
  }
});

testFile("a new key is its owner's alone from its first moment, whatever the umask allows", async () => {
  const umask = Deno.umask(0);
  try {
    // A server that was killed has left a part of a key.
    Deno.mkdirSync("data", { mode: 0o700 });
    makeFile("data/api-key.0.tmp", 0o600, "petstore_");
    const { key, isNew } = await readOrMakeKey("data/api-key");
    assert.equal(isNew, true);
    assert.match(key, /^petstore_[0-9A-Za-z]{36}$/);
    assert.equal((Deno.statSync("data/api-key").mode ?? 0) & 0o777, 0o600);
    assert.deepEqual(await readOrMakeKey("data/api-key"), { key, isNew: false });
    await readOrMakeKey("other/api-key");
    assert.equal((Deno.statSync("other").mode ?? 0) & 0o777, 0o700);
  } finally {
    Deno.umask(umask);
  }
});

testFile("a key file in a folder that others can write to is refused, since they can replace it", async () => {
  Deno.mkdirSync("data");
  makeFile("data/api-key", 0o600);
  for (const mode of [0o777, 0o720, 0o702, 0o2775]) {
    Deno.chmodSync("data", mode);
    await assertRefused("data/api-key");
    // A first start makes no key where the next one would refuse it.
    await assertRefused("data/other", "others can write to it");
    assert.equal([...Deno.readDirSync("data")].length, 1);
  }
  Deno.mkdirSync("own", { mode: 0o700 });
  const others = "data holds the API key and others";
  Deno.symlinkSync("../data/api-key", "own/api-key");
  await assertRefused("own/api-key", others);
  makeFile("own/key", 0o600);
  Deno.symlinkSync("../own/key", "data/link");
  Deno.symlinkSync("../data/link", "own/by-link");
  await assertRefused("own/by-link", others);
  // /tmp has the second mode: a file of another user can be neither removed nor replaced there.
  for (const mode of [0o755, 0o1777]) {
    Deno.chmodSync("data", mode);
    for (const name of ["data/api-key", "own/api-key", "own/by-link"]) {
      assert.equal((await readOrMakeKey(`${name}`)).key, KEY);
    }
  }
});

testWith(inFolder, testUnless(Deno.uid() !== 0 && "only root can make one"))(
  "a key file of another user is refused",
  async () => {
    makeFile("api-key", 0o600);
    Deno.chownSync("api-key", 65534, 65534);
    await assertRefused("api-key");
  },
);

testWith(inFolder)("a key file that cannot be used does not matter while the store has a valid key", async () => {
  const store = createMemoryStore();
  await provideFirstKey([], store.keys);
  const [first] = await store.keys.list();
  for (const spoil of [() => Deno.chmodSync("data/api-key", 0o660), () => Deno.chmodSync("data", 0o2777)]) {
    spoil();
    const found = await provideFirstKey([], store.keys);
    assert.equal(found.location, "store");
    assert.match(found.note, /^in the store \(petstore keys list\); data.* (chmod 600|chmod go-w)/);
  }
  await store.keys.revoke(first!.id, new Date());
  await assert.rejects(provideFirstKey([], store.keys), /chmod/);
});

testFile("servers that start for the first time at one moment agree on a key", async () => {
  const path = "data/api-key";
  // None finds a key, and each waits once before it names its file.
  const found = await Promise.all([1, 2, 3].map(() => readOrMakeKey(path)));
  assert.equal(found.filter(({ isNew }) => isNew).length, 1);
  assert.deepEqual(new Set(found.map(({ key }) => key)), new Set([Deno.readTextFileSync(path).trim()]));
  const names = [...Deno.readDirSync("data")].map(({ name }) => name).sort();
  assert.deepEqual(names, [".gitignore", "api-key"]);
  assert.equal(Deno.readTextFileSync("data/.gitignore"), "*\n");
});

testWith(inFolder)(
  "the key of the file is accepted with the caller that it has as a setting, and no more once it is revoked",
  async () => {
    const store = createMemoryStore();
    const made = await provideFirstKey([], store.keys);
    assert.deepEqual([made.location, made.isNew], ["file", true]);
    const [first] = await store.keys.list();
    assert.equal(first!.caller, defaultCallerId(first!.digest));
    const again = await provideFirstKey([], store.keys);
    assert.deepEqual([again.location, again.isNew], ["file", false]);
    // The file is still there, for example because another program has revoked the key.
    await store.keys.revoke(first!.id, new Date());
    const revoked = await provideFirstKey([], store.keys);
    assert.deepEqual([revoked.location, revoked.note], ["store", "none is valid (petstore keys add makes one)"]);
  },
);
