/** The key file: used if it is its owner's alone, else refused with a line that does not show it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readKeyFile } from "../../lib/standalone/key_file.ts";
import { SettingError } from "../../lib/standalone/settings.ts";
import { findSecret } from "../support/secret_search.ts";
import { withTempFolder } from "../support/temp.ts";

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
const NO_MODES = Deno.build.os === "windows" ? "Windows has no modes" : false;

/** Runs a test where files have modes. */
function testFile(name: string, run: (folder: string) => Promise<void>): void {
  test(NO_MODES ? `${name} (skipped: ${NO_MODES})` : name, { skip: NO_MODES }, () => withTempFolder(run));
}

function makeFile(path: string, mode: number, text = `${KEY}\n`): void {
  Deno.writeTextFileSync(path, text);
  // The mode of a new file is less than what is asked for, by the umask.
  Deno.chmodSync(path, mode);
}

async function assertRefused(path: string, what: string, why = /./): Promise<void> {
  await assert.rejects(readKeyFile(path), (error) => {
    assert.ok(error instanceof SettingError, `${what}: ${error}`);
    assert.match(error.message, why, what);
    assert.equal(findSecret(error.message, KEY), undefined, what);
    return true;
  }, what);
}

testFile("a key file that anybody but its owner can read, write or run is refused", async (folder) => {
  const path = `${folder}/api-key`;
  for (const others of [0o040, 0o004, 0o020, 0o002, 0o010, 0o001, 0o044, 0o066, 0o077]) {
    makeFile(path, 0o600 | others);
    await assertRefused(path, `mode ${others.toString(8)}`, /can be read by others than its owner: run chmod 600/);
  }
  for (const mode of [0o600, 0o400, 0o700]) {
    makeFile(path, mode);
    assert.deepEqual(await readKeyFile(path), { key: KEY, isNew: false });
  }
});

testFile("a link counts as what it leads to", async (folder) => {
  const [link, target] = [`${folder}/api-key`, `${folder}/target`];
  Deno.symlinkSync(target, link);
  await assertRefused(link, "a link to nothing");
  assert.throws(() => Deno.lstatSync(target), Deno.errors.NotFound, "a key was made behind a link");
  makeFile(target, 0o644);
  await assertRefused(link, "a link to a file that others can read", /can be read by others/);
  Deno.chmodSync(target, 0o600);
  assert.equal((await readKeyFile(link)).key, KEY);
});

testFile(
  "a key file that holds no key is refused: a folder, a device, nothing, two keys, a megabyte",
  async (folder) => {
    const path = `${folder}/api-key`;
    Deno.mkdirSync(path, { mode: 0o700 });
    await assertRefused(path, "a folder");
    Deno.removeSync(path);
    Deno.symlinkSync("/dev/zero", path);
    await assertRefused(path, "a device without an end");
    Deno.removeSync(path);
    for (
      const text of [
        "",
        "\n",
        `${KEY}\n${KEY}\n`,
        `${KEY} ${KEY}`,
        `${KEY},${KEY}`,
        `${KEY}\0`,
        KEY.repeat(20_000),
        "schlüssel",
      ]
    ) {
      makeFile(path, 0o600, text);
      await assertRefused(path, JSON.stringify(text.slice(0, 100)));
    }
  },
);

testFile("a new key is nobody else's from its first moment on, whatever the umask allows", async (folder) => {
  const umask = Deno.umask(0);
  try {
    const { key, isNew } = await readKeyFile(`${folder}/data/api-key`);
    assert.equal(isNew, true);
    assert.match(key, /^pk_[0-9a-f]{64}$/);
    assert.equal((Deno.statSync(`${folder}/data`).mode ?? 0) & 0o777, 0o700);
    assert.equal((Deno.statSync(`${folder}/data/api-key`).mode ?? 0) & 0o777, 0o600);
    assert.deepEqual(await readKeyFile(`${folder}/data/api-key`), { key, isNew: false });
  } finally {
    Deno.umask(umask);
  }
});

const HAS_PIPES = !NO_MODES &&
  (await new Deno.Command("sh", { args: ["-c", "command -v mkfifo"], stdout: "null" }).output()).success;

test(
  HAS_PIPES ? "a named pipe is no key file" : "a named pipe is no key file (skipped: there is no mkfifo here)",
  { skip: HAS_PIPES ? false : "there is no mkfifo here" },
  () =>
    withTempFolder(async (folder) => {
      const path = `${folder}/api-key`;
      await new Deno.Command("mkfifo", { args: ["-m", "600", path] }).output();
      // Whoever opens the pipe to read waits for a writer. With one there, to read it shows, instead of hanging for ever.
      const writer = new Deno.Command("sh", { args: ["-c", `echo ${KEY} > "$0"`, path] }).spawn();
      try {
        await assertRefused(path, "a named pipe");
      } finally {
        try {
          writer.kill("SIGKILL");
        } catch {
          // It has found a reader, and is gone.
        }
        await writer.status;
      }
    }),
);

testFile(
  "a key file in a folder that others can write to is refused, since they can put another in its place",
  async (folder) => {
    Deno.mkdirSync(`${folder}/data`);
    makeFile(`${folder}/data/api-key`, 0o600);
    for (const mode of [0o777, 0o770, 0o720, 0o702]) {
      Deno.chmodSync(`${folder}/data`, mode);
      await assertRefused(`${folder}/data/api-key`, `a folder of mode ${mode.toString(8)}`);
    }
    Deno.chmodSync(`${folder}/data`, 0o755);
    assert.equal((await readKeyFile(`${folder}/data/api-key`)).key, KEY);
  },
);

const IS_ROOT = !NO_MODES && Deno.uid() === 0;

test(
  IS_ROOT
    ? "a key file of another user is refused"
    : "a key file of another user is refused (skipped: only root can make one)",
  { skip: IS_ROOT ? false : "only root can make one" },
  () =>
    withTempFolder(async (folder) => {
      makeFile(`${folder}/api-key`, 0o600);
      Deno.chownSync(`${folder}/api-key`, 65534, 65534);
      await assertRefused(`${folder}/api-key`, "a file of nobody");
    }),
);

testFile("servers that start for the first time at one moment agree on a key", async (folder) => {
  // Often, because it is a matter of chance whether one reads the file while another writes it.
  for (let i = 0; i < 200; i++) {
    const starts = Array.from({ length: 8 }, () => readKeyFile(`${folder}/${i}/api-key`));
    const keys = (await Promise.all(starts)).map(({ key }) => key);
    assert.equal(new Set(keys).size, 1);
  }
});
