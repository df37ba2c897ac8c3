/** The key file is used if only its owner can read it. Otherwise it is refused without showing the key. */

import assert from "node:assert/strict";
import { defaultCallerId } from "../../../lib/access/key_digest.ts";
import { provideFirstKey } from "../../../lib/server/first_key/first_key.ts";
import { readOrMakeKey } from "../../../lib/server/first_key/key_file.ts";
import { SettingError } from "../../../lib/server/process/start_error.ts";
import { createMemoryStore } from "../../../mod.ts";
import { inFolder } from "../../support/server/in_process.ts";
import { testUnless, testWith } from "../../support/test_with.ts";
import { withTempFolder } from "../../support/temp.ts";

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
const testFile = testWith(withTempFolder);

function makeFile(path: string, mode: number, text = `${KEY}\n`): void {
  Deno.writeTextFileSync(path, text);
  // The umask would reduce the mode of a new file.
  Deno.chmodSync(path, mode);
}

async function assertRefused(path: string, what: string, why = /./): Promise<void> {
  await assert.rejects(readOrMakeKey(path), (error) => {
    assert.ok(error instanceof SettingError, `${what}: ${error}`);
    assert.match(error.message, why, what);
    assert.ok(!error.message.includes(KEY.slice(3, 20)), what);
    return true;
  }, what);
}

testFile("a key file that users other than its owner can read, write or run is refused", async (folder) => {
  const path = `${folder}/api-key`;
  for (const others of [0o040, 0o004, 0o020, 0o002, 0o010, 0o001]) {
    makeFile(path, 0o600 | others);
    await assertRefused(path, `mode ${others.toString(8)}`, /can be read by users other than its owner: run chmod 600/);
  }
  for (const mode of [0o600, 0o400, 0o700]) {
    makeFile(path, mode);
    assert.deepEqual(await readOrMakeKey(path), { key: KEY, isNew: false });
  }
});

testFile("a link counts as what it leads to", async (folder) => {
  const [link, target] = [`${folder}/api-key`, `${folder}/target`];
  Deno.symlinkSync(target, link);
  await assertRefused(link, "a link to nothing", /api-key holds no key; remove it, and the next start makes one/);
  assert.throws(() => Deno.lstatSync(target), Deno.errors.NotFound, "a key was made behind a link");
  makeFile(target, 0o644);
  await assertRefused(link, "a link to a file that others can read", /can be read by users other than its owner/);
  Deno.chmodSync(target, 0o600);
  assert.equal((await readOrMakeKey(link)).key, KEY);
});

testFile("what is no key is refused: a folder, a device, no key, two keys, a megabyte", async (folder) => {
  const path = `${folder}/api-key`;
  const make = [
    () => Deno.mkdirSync(path),
    () => Deno.symlinkSync("/dev/zero", path),
    () => Deno.symlinkSync("api-key", path),
  ];
  for (const [i, what] of ["a folder", "a device without an end", "a link to itself"].entries()) {
    make[i]!();
    await assertRefused(path, what, /must be a regular file|is a directory|is a folder/i);
    Deno.removeSync(path);
  }
  for (const text of ["\n", `${KEY}\n${KEY}\n`, `${KEY} ${KEY}`, `${KEY}\0`, KEY.repeat(20_000), "schlüssel"]) {
    makeFile(path, 0o600, text);
    await assertRefused(path, JSON.stringify(text.slice(0, 100)));
    assert.equal(Deno.readTextFileSync(path), text);
  }
});

testFile("a new key is its owner's alone from its first moment, whatever the umask allows", async (folder) => {
  const umask = Deno.umask(0);
  try {
    // A server that was killed has left a part of a key.
    Deno.mkdirSync(`${folder}/data`, { mode: 0o700 });
    makeFile(`${folder}/data/api-key.0.tmp`, 0o600, "petstore_");
    const { key, isNew } = await readOrMakeKey(`${folder}/data/api-key`);
    assert.equal(isNew, true);
    assert.match(key, /^petstore_[0-9A-Za-z]{36}$/);
    assert.equal((Deno.statSync(`${folder}/data/api-key`).mode ?? 0) & 0o777, 0o600);
    assert.deepEqual(await readOrMakeKey(`${folder}/data/api-key`), { key, isNew: false });
    await readOrMakeKey(`${folder}/other/api-key`);
    assert.equal((Deno.statSync(`${folder}/other`).mode ?? 0) & 0o777, 0o700);
  } finally {
    Deno.umask(umask);
  }
});

testFile("a key file in a folder that others can write to is refused, since they can replace it", async (folder) => {
  Deno.mkdirSync(`${folder}/data`);
  makeFile(`${folder}/data/api-key`, 0o600);
  for (const mode of [0o777, 0o720, 0o702, 0o2775]) {
    Deno.chmodSync(`${folder}/data`, mode);
    await assertRefused(`${folder}/data/api-key`, `a folder of mode ${mode.toString(8)}`);
    // A first start makes no key where the next one would refuse it.
    await assertRefused(`${folder}/data/other`, `a folder of mode ${mode.toString(8)}`, /others can write to it/);
    assert.equal([...Deno.readDirSync(`${folder}/data`)].length, 1);
  }
  Deno.mkdirSync(`${folder}/own`, { mode: 0o700 });
  const others = /data holds the API key and others/;
  Deno.symlinkSync(`${folder}/data/api-key`, `${folder}/own/api-key`);
  await assertRefused(`${folder}/own/api-key`, "a link into such a folder", others);
  makeFile(`${folder}/own/key`, 0o600);
  Deno.symlinkSync("../own/key", `${folder}/data/link`);
  Deno.symlinkSync("../data/link", `${folder}/own/by-link`);
  await assertRefused(`${folder}/own/by-link`, "a link to a link in such a folder", others);
  // /tmp has the second mode: a file of another user can be neither removed nor replaced there.
  for (const mode of [0o755, 0o1777]) {
    Deno.chmodSync(`${folder}/data`, mode);
    for (const name of ["data/api-key", "own/api-key", "own/by-link"]) {
      assert.equal((await readOrMakeKey(`${folder}/${name}`)).key, KEY);
    }
  }
});

testWith(withTempFolder, testUnless(Deno.uid() !== 0 && "only root can make one"))(
  "a key file of another user is refused",
  async (folder) => {
    makeFile(`${folder}/api-key`, 0o600);
    Deno.chownSync(`${folder}/api-key`, 65534, 65534);
    await assertRefused(`${folder}/api-key`, "a file of another user");
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

testFile("servers that start for the first time at one moment agree on a key", async (folder) => {
  const path = `${folder}/data/api-key`;
  // None finds a key, and each waits once before it names its file.
  const found = await Promise.all([1, 2, 3].map(() => readOrMakeKey(path)));
  assert.equal(found.filter(({ isNew }) => isNew).length, 1);
  assert.deepEqual(new Set(found.map(({ key }) => key)), new Set([Deno.readTextFileSync(path).trim()]));
  const names = [...Deno.readDirSync(`${folder}/data`)].map(({ name }) => name).sort();
  assert.deepEqual(names, [".gitignore", "api-key"]);
  assert.equal(Deno.readTextFileSync(`${folder}/data/.gitignore`), "*\n");
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
