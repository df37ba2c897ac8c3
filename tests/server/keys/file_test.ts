/** The key file is used if only its owner can read it. Otherwise it is refused without showing the key. */

import assert from "node:assert/strict";
import { readKeyFile } from "../../../lib/server/key_file.ts";
import { SettingError } from "../../../lib/server/start_error.ts";
import { findSecret } from "./secret_search.ts";
import { Child } from "../../support/system/child.ts";
import { NODE } from "../../support/server/serve_task.ts";
import { command, hasCommand, testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
const NO_MODES = Deno.build.os === "windows" ? "Windows has no modes" : false;

function testFile(name: string, run: (folder: string) => void | Promise<void>): void {
  testUnless(NO_MODES)(name, () => withTempFolder(run));
}

function makeFile(path: string, mode: number, text = `${KEY}\n`): void {
  Deno.writeTextFileSync(path, text);
  // The umask would reduce the mode of a new file.
  Deno.chmodSync(path, mode);
}

function assertRefused(path: string, what: string, why = /./): void {
  assert.throws(() => readKeyFile(path), (error) => {
    assert.ok(error instanceof SettingError, `${what}: ${error}`);
    assert.match(error.message, why, what);
    assert.equal(findSecret(error.message, KEY), undefined, what);
    return true;
  }, what);
}

testFile("a key file that users other than its owner can read, write or run is refused", (folder) => {
  const path = `${folder}/api-key`;
  for (const others of [0o040, 0o004, 0o020, 0o002, 0o010, 0o001, 0o044, 0o066, 0o077]) {
    makeFile(path, 0o600 | others);
    assertRefused(path, `mode ${others.toString(8)}`, /can be read by users other than its owner: run chmod 600/);
  }
  for (const mode of [0o600, 0o400, 0o700]) {
    makeFile(path, mode);
    assert.deepEqual(readKeyFile(path), { key: KEY, isNew: false });
  }
});

testFile("a link counts as what it leads to", (folder) => {
  const [link, target] = [`${folder}/api-key`, `${folder}/target`];
  Deno.symlinkSync(target, link);
  assertRefused(link, "a link to nothing");
  assert.throws(() => Deno.lstatSync(target), Deno.errors.NotFound, "a key was made behind a link");
  makeFile(target, 0o644);
  assertRefused(link, "a link to a file that others can read", /can be read by users other than its owner/);
  Deno.chmodSync(target, 0o600);
  assert.equal(readKeyFile(link).key, KEY);
});

testFile("a key is made where a link to an empty file leads, and the link stays", (folder) => {
  Deno.mkdirSync(`${folder}/secrets`, { mode: 0o700 });
  makeFile(`${folder}/secrets/key`, 0o600, "");
  Deno.symlinkSync("secrets/key", `${folder}/api-key`);
  const { key, isNew } = readKeyFile(`${folder}/api-key`);
  assert.equal(isNew, true);
  assert.equal(Deno.readTextFileSync(`${folder}/secrets/key`), `${key}\n`);
  assert.deepEqual(readKeyFile(`${folder}/api-key`), { key, isNew: false });
  assert.ok(Deno.lstatSync(`${folder}/api-key`).isSymlink);
  assert.deepEqual([...Deno.readDirSync(`${folder}/secrets`)].map(({ name }) => name), ["key"]);
});

testFile("a key file that holds no key is refused: a folder, a device, two keys, a megabyte", (folder) => {
  const path = `${folder}/api-key`;
  Deno.mkdirSync(path, { mode: 0o700 });
  assertRefused(path, "a folder");
  Deno.removeSync(path);
  Deno.symlinkSync("/dev/zero", path);
  assertRefused(path, "a device without an end");
  Deno.removeSync(path);
  for (
    const text of [`${KEY}\n${KEY}\n`, `${KEY} ${KEY}`, `${KEY},${KEY}`, `${KEY}\0`, KEY.repeat(20_000), "schlüssel"]
  ) {
    makeFile(path, 0o600, text);
    assertRefused(path, JSON.stringify(text.slice(0, 100)));
  }
});

testFile("a new key is its owner's alone from its first moment, whatever the umask allows", (folder) => {
  const umask = Deno.umask(0);
  try {
    const { key, isNew } = readKeyFile(`${folder}/data/api-key`);
    assert.equal(isNew, true);
    assert.match(key, /^petstore_[0-9A-Za-z]{36}$/);
    assert.equal((Deno.statSync(`${folder}/data`).mode ?? 0) & 0o777, 0o700);
    assert.equal((Deno.statSync(`${folder}/data/api-key`).mode ?? 0) & 0o777, 0o600);
    assert.deepEqual(readKeyFile(`${folder}/data/api-key`), { key, isNew: false });
  } finally {
    Deno.umask(umask);
  }
});

const NO_PIPES = NO_MODES || !hasCommand("mkfifo") && "there is no mkfifo here";
const testPipe = testUnless(NO_PIPES);

testPipe("a named pipe is no key file", () =>
  withTempFolder(async (folder) => {
    const path = `${folder}/api-key`;
    command("mkfifo", "-m", "600", path);
    // With this writer, a server that reads the pipe fails instead of hanging.
    await using _writer = new Child("sh", ["-c", `echo ${KEY} > "$0"`, path]);
    assertRefused(path, "a named pipe");
  }));

testFile(
  "a key file in a folder that others can write to is refused, since they can put another in its place",
  (folder) => {
    Deno.mkdirSync(`${folder}/data`);
    makeFile(`${folder}/data/api-key`, 0o600);
    for (const mode of [0o777, 0o770, 0o720, 0o702]) {
      Deno.chmodSync(`${folder}/data`, mode);
      assertRefused(`${folder}/data/api-key`, `a folder of mode ${mode.toString(8)}`);
    }
    Deno.chmodSync(`${folder}/data`, 0o755);
    assert.equal(readKeyFile(`${folder}/data/api-key`).key, KEY);
  },
);

const NOT_ROOT = NO_MODES || Deno.uid() !== 0 && "only root can make one";
const testAsRoot = testUnless(NOT_ROOT);

testAsRoot("a key file of another user is refused", () =>
  withTempFolder((folder) => {
    makeFile(`${folder}/api-key`, 0o600);
    Deno.chownSync(`${folder}/api-key`, 65534, 65534);
    assertRefused(`${folder}/api-key`, "a file of another user");
  }));

testFile("what servers that were killed have left beside the key file disturbs no start", (folder) => {
  const path = `${folder}/api-key`;
  // Temporary files of every step: before and after the key was written, and in the replacement of an empty file.
  makeFile(`${path}.0.tmp`, 0o600, "");
  makeFile(`${path}.1.tmp`, 0o600);
  makeFile(path, 0o600, "");
  const other = "pk_" + "ab".repeat(32);
  makeFile(`${path}.${Deno.statSync(path).ino}.tmp`, 0o600, `${other}\n`);
  // A server that has agreed on this key may show it at any moment, so it is the one to use.
  assert.deepEqual(readKeyFile(path), { key: other, isNew: false });
  assert.deepEqual(readKeyFile(path), { key: other, isNew: false });
});

testFile("a key file that a killed server left empty gets a key", (folder) => {
  const path = `${folder}/api-key`;
  for (const text of ["", "\n", " ".repeat(100)]) {
    makeFile(path, 0o600, text);
    const { key, isNew } = readKeyFile(path);
    assert.equal(isNew, true);
    assert.deepEqual(readKeyFile(path), { key, isNew: false });
  }
});

testFile("servers on Deno and on Node that start for the first time at one moment agree on a key", async (folder) => {
  const module = new URL("../../../lib/server/key_file.ts", import.meta.url).href;
  // Often, because the race is a matter of chance. They wait in a busy loop: a timer would be too slow.
  const code = `import { readKeyFile } from ${JSON.stringify(module)};
    for (let i = 0; i < 100; i++) {
      const start = ${Date.now() + 1000} + i * 5;
      while (Date.now() < start);
      console.log(readKeyFile(${JSON.stringify(folder)} + "/" + i + "/api-key").key);
    }`;
  for (let i = 0; i < 100; i += 2) {
    Deno.mkdirSync(`${folder}/${i}`, { mode: 0o700 });
    makeFile(`${folder}/${i}/api-key`, 0o600, "");
  }
  const onDeno = () => new Child(Deno.execPath(), ["eval", "--no-config", code]);
  const onNode = () => new Child(NODE, ["--input-type=module", "--disable-warning=ExperimentalWarning", "-e", code]);
  const servers = [onDeno(), onDeno(), onNode(), onNode()];
  await Promise.all(servers.map(({ ended }) => ended));
  const seen = servers.map(({ written }) => written.stdout);
  // Nothing is left beside the keys, in none of the folders.
  for (let i = 0; i < 100; i++) {
    assert.deepEqual([...Deno.readDirSync(`${folder}/${i}`)].map(({ name }) => name), ["api-key"]);
  }
  assert.match(seen[0] ?? "", /^(petstore_[0-9A-Za-z]{36}\n){100}$/);
  for (const keys of seen) assert.equal(keys, seen[0]);
});
