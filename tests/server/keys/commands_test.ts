/** The commands that manage API keys, beside servers that follow them. */

import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { isMistyped } from "../../../lib/access/key_format.ts";
import { SQLITE_FILES } from "../../support/earlier/earlier.ts";
import { inFolder, runHere, withServerHere } from "../../support/server/in_process.ts";
import { assertRefused } from "../../support/server/pet_files.ts";
import { addPet, PET, readKey, type ServerProcess, withServer } from "../../support/server/server_process.ts";
import { environment, ON_NODE, serverCommand } from "../../support/server/serve_task.ts";
import { Child } from "../../support/system/child.ts";
import { NO_PROC, testUnless } from "../../support/system/commands.ts";
import { until } from "../../support/until.ts";

interface ListedKey extends Record<"id" | "label" | "caller" | "state" | "created", string> {
  readOnly: boolean;
  expires?: string;
  lastUsed?: string;
}

/** The commands in the present folder, for one store. */
function keysOf(store: string) {
  const run = (...args: string[]) => runHere(["keys", ...args], { PETSTORE_STORE: store });
  const succeed = async (...args: string[]) => {
    const { status, stdout, stderr } = await run(...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const add = async (...args: string[]) => (await succeed("add", ...args)).trim();
  const list = async (): Promise<ListedKey[]> => JSON.parse(await succeed("list", "--json"));
  const idOf = async (label: string) => (await list()).findLast((key) => key.label === label)!.id;
  return { run, succeed, add, list, idOf };
}

type Asked = Pick<ServerProcess, "ask">;

async function statusOf({ ask }: Asked, key: string): Promise<number> {
  return (await ask("/v1/pets", key)).status;
}

/** Until a server answers so. It follows within a second; the test waits for longer. */
function follows(server: Asked, key: string, status: number): Promise<void> {
  return until(`${status}`, async () => await statusOf(server, key) === status);
}

const { run, succeed, add, list, idOf } = keysOf("sqlite:pets.db");

/** What a user does with keys beside a server. */
async function useKeys(server: Asked): Promise<void> {
  const first = readKey(".");
  await follows(server, first, 200);
  const added = await run("add", "--label", "ci", "--expires", "90d");
  const ci = added.stdout.trim();
  assert.match(added.stdout, /^petstore_[0-9A-Za-z]{36}\n$/);
  assert.equal(isMistyped(ci), false);
  assert.match(added.stderr, /^petstore: key-[0-9a-f]{12} \(ci\) may read and write and expires 20\S+Z\. .*again\n$/);
  const reader = await add("--read-only", "--label=a reader");
  await follows(server, reader, 200);
  assert.equal(await statusOf(server, ci), 200);
  const headers = { "content-type": "application/json" };
  const { status, text } = await server.ask("/v1/pets", reader, { method: "POST", headers, body: PET });
  assert.deepEqual([status, JSON.parse(text).code], [403, "insufficient_scope"]);

  const next = (await succeed("rotate", await idOf("ci"), "--overlap", "7d")).trim();
  await follows(server, next, 200);
  assert.equal(await statusOf(server, ci), 200);
  const [, old, , renewed] = await list();
  assert.deepEqual([old?.label, renewed?.label, renewed?.caller], ["ci", "ci", old?.caller]);
  const days = (time?: string) => Math.round((Date.parse(time ?? "") - Date.now()) / 86_400_000);
  assert.deepEqual([days(old?.expires), days(renewed?.expires)], [7, 90]);

  assert.equal(await succeed("revoke", old!.id), `${old!.id} is revoked\n`);
  // The key itself, as it was found somewhere, in place of its id.
  const { stdout, stderr } = await run("revoke", reader);
  assert.equal(stdout + stderr, `${await idOf("a reader")} is revoked\n`);
  await follows(server, reader, 401);
  assert.deepEqual([await statusOf(server, ci), await statusOf(server, next)], [401, 200]);
  const states = (await list()).map(({ label, state, readOnly }) => [label, state, readOnly]);
  assert.deepEqual(states, [
    ["first start", "valid", false],
    ["ci", "revoked", false],
    ["a reader", "revoked", true],
    ["ci", "valid", false],
  ]);
  const table = await succeed("list");
  assert.match(table, /^ID +STATE +RIGHTS +CREATED +EXPIRES +LAST USED +LABEL\nkey-\w+ +valid +read, write +20/);
  for (const key of [first, ci, reader, next]) assert.ok(!table.includes(key));

  // Even the first key can be revoked, and the last one, with a warning.
  await succeed("revoke", (await list())[0]!.id);
  const last = await run("revoke", renewed!.id);
  assert.match(last.stderr, /no key of the store is valid now; .*keys add makes one/);
  await follows(server, next, 401);
  assert.equal(await statusOf(server, first), 401);
}

test("keys are added, rotated and revoked beside a server on an SQLite file, which follows, and none gets lost", () =>
  inFolder((folder) =>
    withServer(folder, { args: ["--store=sqlite:pets.db", "--log=off"] }, async (server) => {
      await useKeys(server);
      const key = await add("--label=again");
      await follows(server, key, 200);
      let isDone = false;
      const busy = (async () => {
        while (!isDone) await addPet(server, key);
      })();
      await Promise.all(Array.from({ length: 8 }, (_, i) => add(`--label=${i}`)));
      isDone = true;
      await busy;
      assert.equal((await list()).length, 13);
      // A use is noted within a minute, and at the latest when the server ends.
      assert.equal(await server.stop(), 0);
      assert.ok((await list()).find(({ label }) => label === "again")!.lastUsed);
    })
  ));

test("keys of a server with pets in memory are in data/keys.db, and outlive it", () =>
  inFolder(async () => {
    const args = ["--store=memory:"];
    const { add, idOf } = keysOf("memory:");
    let first = "";
    await withServerHere({ args }, async (server) => {
      first = readKey(".");
      const { stderr } = await keysOf("memory:").run("revoke", await idOf("first start"));
      assert.match(stderr, /^petstore: data\/api-key had this key, and is removed$/m);
      await follows(server, first, 401);
    });
    // With the file, a new store would accept the revoked key.
    assert.deepEqual(readdirSync("data"), ["keys.db"]);
    const key = await add("--label=later");
    await withServerHere({ args }, async (server) => {
      assert.match(server.written.stdout, /API key +in the store \(.*keys list\)$/m);
      assert.equal(await statusOf(server, key), 200);
      assert.equal(await statusOf(server, first), 401);
    });
  }));

test("with keys as set, memory: makes no file, and keys of the store are valid too if there are any", () =>
  inFolder(async () => {
    const args = ["--store=memory:", "--key=k"];
    await withServerHere({ args }, async (server) => assert.equal(await statusOf(server, "k"), 200));
    assert.deepEqual(readdirSync("."), []);
    const key = await keysOf("memory:").add("--label=one");
    await withServerHere({ args }, async (server) => {
      assert.match(server.written.stdout, /API key +as set$/m);
      assert.deepEqual([await statusOf(server, "k"), await statusOf(server, key)], [200, 200]);
    });
    assert.ok(!existsSync("data/api-key"));
  }));

test("a key can be added before the first start, which then makes none, and the file has no key but its hash", () =>
  inFolder(async () => {
    const { stdout, stderr } = await keysOf("sqlite:data/petstore.db").run("add", "--label=mine");
    const key = stdout.trim();
    assert.match(
      stderr,
      /^petstore: data\/petstore\.db is new; servers that use it will accept the key\npetstore: key-/,
    );
    await withServerHere({}, async (server) => {
      assert.equal(await statusOf(server, key), 200);
      assert.match(server.written.stdout, /API key +in the store/);
    });
    assert.ok(!existsSync("data/api-key"));
    const bytes = readFileSync("data/petstore.db", "latin1");
    assert.ok(!bytes.includes(key.slice(0, 20)) && !bytes.includes(key.slice(-20)));
    using db = new DatabaseSync("data/petstore.db");
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))).toHex();
    assert.equal(db.prepare("SELECT digest FROM api_keys").get()?.["digest"], digest);
  }));

test("a store without keys takes a key file with a key of one's own, and a revoked key file stays revoked", () =>
  inFolder(async () => {
    mkdirSync("data", { mode: 0o700 });
    // It begins as keys that are made here.
    writeFileSync("data/api-key", "petstore_mine\n", { mode: 0o600 });
    const { succeed, list } = keysOf("sqlite:data/petstore.db");
    await withServerHere({}, (server) => addPet(server, "petstore_mine"));
    const [key, ...others] = await list();
    assert.deepEqual([key?.label, others.length], ["first start", 0]);
    await succeed("revoke", key!.id);
    await withServerHere({}, async (server) => {
      assert.match(server.written.stdout, /API key +none is valid \(.*keys add makes one\)$/m);
      assert.equal(await statusOf(server, "petstore_mine"), 401);
    });
  }));

/** Of a date in the future. */
const YEAR = new Date().getUTCFullYear() + 2;

test("a key expires at the beginning of a day, or after a time", () =>
  inFolder(async () => {
    await add("--label=day", `--expires=${YEAR}-01-31`);
    await add("--label=week", "--expires=1w");
    const [day, week] = await list();
    assert.equal(day?.expires, `${YEAR}-01-31T00:00:00.000Z`);
    assert.equal(Math.round((Date.parse(week?.expires ?? "") - Date.now()) / 86_400_000), 7);
    assert.match((await run("rotate", day!.id, "--overlap=1w")).stderr, /key-\w+ expires 20\S+Z\n$/);
  }));

test("keys that ended long ago are removed, but not the one of the first start, which a start would add again", () =>
  inFolder(async () => {
    await withServerHere({ args: ["--store=sqlite:pets.db"] }, () => {});
    const first = readKey(".");
    for (const label of ["valid", "expired", "revoked", "lately"]) await add(`--label=${label}`, "--expires=1d");
    for (const label of ["first start", "revoked", "lately"]) await succeed("revoke", await idOf(label));
    {
      using db = new DatabaseSync("pets.db");
      const longAgo = Date.now() - 91 * 86_400_000;
      db.exec(`UPDATE api_keys SET expires_at = ${longAgo} WHERE label = 'expired'`);
      db.exec(`UPDATE api_keys SET revoked_at = ${longAgo} WHERE label IN ('revoked', 'first start')`);
    }
    assert.equal(await succeed("purge", "--ended=365d"), "0 keys are removed\n");
    const ended = await run("rotate", await idOf("expired"));
    assertRefused(ended, /key-\w+ has ended, so nothing can replace it; .*keys add makes a new key\n$/);
    assert.equal(await succeed("purge"), "2 keys are removed\n");
    assert.deepEqual((await list()).map(({ label }) => label), ["first start", "valid", "lately"]);
    assert.equal(await succeed("purge", "--ended=0s"), "1 key is removed\n");
    await withServerHere({ args: ["--store=sqlite:pets.db"] }, async (server) => {
      assert.equal(await statusOf(server, first), 401);
    });
  }));

for (const { file } of SQLITE_FILES) {
  test(`commands that only read use ${file} of an earlier release, and do not migrate it`, () =>
    inFolder(async () => {
      copyFileSync(new URL(`../../support/earlier/${file}`, import.meta.url), "pets.db");
      const before = readFileSync("pets.db");
      assert.deepEqual(await list(), []);
      for (const args of [["check"], ["export", "pets.csv"], ["backup", "copy.db"]]) {
        const { status, stderr } = await runHere([...args, "--store=sqlite:pets.db"]);
        assert.equal(status, 0, stderr);
      }
      assert.ok(before.equals(readFileSync("pets.db")), "the file has been changed");
      assert.deepEqual(readdirSync(".").toSorted(), ["copy.db", "pets.csv", "pets.db"]);
    }));
}

test("what is wrong has status 2 and one line, makes no file, and shows no key", () =>
  inFolder(async () => {
    const wrong: [args: string[], shows: RegExp][] = [
      [["add"], /Say what the key is for, as in .*keys add --label ci/],
      [["add", "--label=a\nb"], /label of a key must be/],
      [["add", "--label=ci", "--expires=soon"], /--expires must be a time such as 12h, 90d or 1w.*not "soon"/],
      [["add", "--label=ci", "--expires=0d"], /--expires must be a time .*not "0d"/],
      [["add", "--label=ci", "--expires=2020-01-01"], /or a date in the future such as .*, not "2020-01-01"/],
      [["add", "--label=ci", `--expires=${YEAR}-02-30`], /--expires must be/],
      [["add", "--lable=ci"], /did you mean --label\?/],
      [["ad"], /There is no such command; did you mean keys add\?/],
      [["list"], /pets\.db does not exist/],
      [["rotate"], /pets\.db does not exist/],
      [["revoke", "petstore_secret"], /pets\.db does not exist/],
    ];
    const refuses = async (args: string[], shows: RegExp) => {
      const exit = await run(...args);
      assertRefused(exit, shows);
      assert.ok(!exit.stderr.includes("petstore_secret"));
    };
    for (const [args, shows] of wrong) await refuses(args, shows);
    assert.deepEqual(readdirSync("."), []);
    await add("--label=ci");
    for (const args of [["rotate", "petstore_secret"], ["revoke", "petstore_secret"], ["revoke", ""]]) {
      await refuses(args, /(no such key|id of the key is missing); .*keys list shows the ids/);
    }
    for (const args of [[], ["--help"]]) {
      const { status, stdout } = await run(...args);
      assert.equal(status, 0);
      assert.match(stdout, /keys add[^]*keys list[^]*keys rotate[^]*keys revoke[^]*keys purge/);
    }
  }));

testUnless(NO_PROC)(
  "a key that cannot be printed is not added and ends no other, and the command says so with status 1",
  () =>
    inFolder(async (folder) => {
      await add("--label=old");
      const before = await list();
      for (const args of [["add", "--label=lost"], ["rotate", before[0]!.id]]) {
        const line = ['exec "$0" "$@" >/dev/full', ...serverCommand(), "keys", ...args, "--store=sqlite:pets.db"];
        await using child = new Child("sh", ["-c", ...line], { cwd: folder, clearEnv: true, env: environment() });
        assert.equal(await child.exit(), 1);
        assert.match(
          child.written.stderr,
          /standard output cannot be written.*\npetstore: The key cannot be printed, so nothing was changed\n$/,
        );
      }
      assert.deepEqual(await list(), before);
    }),
);

testUnless(ON_NODE && "the output of a process is not observed")(
  "a key is printed before it is stored, and if it cannot be stored, the command says that it is not valid",
  () =>
    inFolder(async () => {
      await add("--label=old");
      const id = await idOf("old");
      using db = new DatabaseSync("pets.db");
      const stored = () => db.prepare("SELECT label, expires_at FROM api_keys").all().map((row) => Object.values(row));
      const rotate = async (onPrint: () => void) => {
        let printed = "";
        const write = (bytes: Uint8Array) => {
          onPrint();
          printed += new TextDecoder().decode(bytes);
          return Promise.resolve(bytes.length);
        };
        const sinks = { output: { write }, errors: { write: (bytes: Uint8Array) => Promise.resolve(bytes.length) } };
        const { status } = await runHere(["keys", "rotate", id, "--store=sqlite:pets.db"], {}, { sinks });
        assert.match(printed, /^petstore_\w+\n$/);
        return status;
      };
      const before = [["old", null]];
      assert.equal(await rotate(() => assert.deepEqual(stored(), before)), 0);
      assert.equal(stored().length, 2);
      assert.notEqual(stored()[0]?.[1], null);
      const after = stored();
      const revoked = `UPDATE api_keys SET revoked_at = 1 WHERE id = '${id}'`;
      assert.equal(await rotate(() => db.exec(revoked)), 2);
      assert.deepEqual(stored(), after);
      db.exec("UPDATE api_keys SET revoked_at = NULL");
      assert.equal(await rotate(() => db.exec("BEGIN IMMEDIATE")), 1);
      db.exec("ROLLBACK");
      assert.deepEqual(stored(), after);
    }),
);

test("while the keys cannot be read, the last ones stay valid and the server says so, and then follows again", () =>
  inFolder(async () => {
    const { add, idOf, succeed } = keysOf("memory:");
    const path = "data/keys.db";
    await withServerHere({ args: ["--store=memory:"] }, async (server) => {
      const key = await add("--label=ci");
      await follows(server, key, 200);
      renameSync(path, `${path}.moved`);
      await until("the line", async () => {
        assert.equal(await statusOf(server, key), 200);
        return /API keys cannot be read.*last known ones stay valid: data\/keys\.db/.test(server.written.stderr);
      });
      renameSync(`${path}.moved`, path);
      await until("the end", async () => {
        assert.equal(await statusOf(server, key), 200);
        return server.written.stderr.includes("the API keys can be read again");
      });
      await succeed("revoke", await idOf("ci"));
      await follows(server, key, 401);
      assert.equal(server.written.stderr.split("\n").length, 3);
    });
  }));
