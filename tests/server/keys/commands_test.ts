/** The commands that manage API keys, beside servers that follow them. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { isMistyped } from "../../../lib/access/key_format.ts";
import { withLockedTable } from "../../support/postgres/lock.ts";
import { whyNoPostgres, withSchema } from "../../support/postgres/postgres.ts";
import {
  addPet,
  PET,
  readKey,
  runCommand,
  runServer,
  type ServerProcess,
  withServer,
} from "../../support/server/server_process.ts";
import { environment, serverCommand } from "../../support/server/serve_task.ts";
import { Child } from "../../support/system/child.ts";
import { NO_PROC, testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { until } from "../../support/until.ts";

interface ListedKey extends Record<"id" | "label" | "caller" | "state" | "created", string> {
  readOnly: boolean;
  expires?: string;
  revoked?: string;
  lastUsed?: string;
}

/** The commands in a folder, for one store. */
function keysOf(folder: string, store: string) {
  const env = { PETSTORE_STORE: store };
  const run = (...args: string[]) => runCommand(folder, ["keys", ...args], env);
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

async function statusOf({ ask }: ServerProcess, key: string): Promise<number> {
  return (await ask("/v1/pets", key)).status;
}

/** Until every server answers so. A server follows within a second; the test waits for longer. */
async function follows(servers: readonly ServerProcess[], key: string, status: number): Promise<void> {
  for (const server of servers) {
    // Several connections, because a worker may have each.
    for (let i = 0; i < 4; i++) await until(`${status}`, async () => await statusOf(server, key) === status);
  }
}

/** What a user does with keys, on servers that share a store. */
async function useKeys(folder: string, store: string, servers: readonly ServerProcess[]): Promise<void> {
  const { run, succeed, add, list, idOf } = keysOf(folder, store);
  const first = readKey(folder);
  await follows(servers, first, 200);
  const added = await run("add", "--label", "ci", "--expires", "90d");
  const ci = added.stdout.trim();
  assert.match(added.stdout, /^petstore_[0-9A-Za-z]{36}\n$/);
  assert.equal(isMistyped(ci), false);
  assert.match(added.stderr, /^petstore: key-[0-9a-f]{12} \(ci\) may read and write and expires 20\S+Z\. .*again\n$/);
  await follows(servers, ci, 200);

  const reader = await add("--read-only", "--label=a reader");
  await follows(servers, reader, 200);
  for (const { ask } of servers) {
    const headers = { "content-type": "application/json" };
    const { status, text } = await ask("/v1/pets", reader, { method: "POST", headers, body: PET });
    assert.deepEqual([status, JSON.parse(text).code], [403, "insufficient_scope"]);
  }

  const next = (await succeed("rotate", await idOf("ci"), "--overlap", "7d")).trim();
  await follows(servers, next, 200);
  await follows(servers, ci, 200);
  const [, old, , renewed] = await list();
  assert.deepEqual([old?.label, renewed?.label, renewed?.caller], ["ci", "ci", old?.caller]);
  const days = (time?: string) => Math.round((Date.parse(time ?? "") - Date.now()) / 86_400_000);
  assert.deepEqual([days(old?.expires), days(renewed?.expires)], [7, 90]);

  assert.equal(await succeed("revoke", old!.id), `${old!.id} is revoked\n`);
  await follows(servers, ci, 401);
  // The key itself, as it was found somewhere, in place of its id.
  const { stdout, stderr } = await run("revoke", reader);
  assert.equal(stdout + stderr, `${await idOf("a reader")} is revoked\n`);
  await follows(servers, reader, 401);
  await follows(servers, next, 200);
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
  await follows(servers, first, 401);
  const last = await run("revoke", renewed!.id);
  assert.match(last.stderr, /no key of the store is valid now; petstore keys add makes one/);
  await follows(servers, next, 401);
  await follows(servers, await add("--label=again"), 200);
}

test("keys are added, rotated and revoked beside two servers on one SQLite file, which follow", () =>
  withTempFolder((folder) =>
    withServer(
      folder,
      { args: ["--store=sqlite:pets.db"] },
      (one) =>
        withServer(
          folder,
          { args: ["--store=sqlite:pets.db"] },
          (two) => useKeys(folder, "sqlite:pets.db", [one, two]),
        ),
    )
  ));

const POSTGRES_SKIP = whyNoPostgres();

testUnless(POSTGRES_SKIP)(
  "keys are added, rotated and revoked beside two servers on one PostgreSQL, which follow",
  () =>
    withSchema((url, schema) =>
      withTempFolder((folder) => {
        const env = { PETSTORE_STORE: `${url}?schema=${schema}` };
        return withServer(folder, { env }, (one) =>
          withServer(folder, { env }, async (two) => {
            assert.equal(one.written.stdout.includes(readKey(folder)), true);
            assert.equal(two.written.stdout.includes(readKey(folder)), false);
            await useKeys(folder, env.PETSTORE_STORE, [one, two]);
          }));
      })
    ),
);

test("keys of a server with pets in memory are in data/keys.db, and outlive it", () =>
  withTempFolder(async (folder) => {
    const args = ["--store=memory:"];
    await withServer(folder, { args }, async (server) => {
      await useKeys(folder, "memory:", [server]);
      await server.stop();
    });
    assert.deepEqual(readdirSync(join(folder, "data")).toSorted(), ["api-key", "keys.db"]);
    const key = await keysOf(folder, "memory:").add("--label=later");
    await withServer(folder, { args }, async (server) => {
      assert.match(server.written.stdout, /API key +in the store \(petstore keys list\)$/m);
      assert.equal(await statusOf(server, key), 200);
      assert.equal(await statusOf(server, readKey(folder)), 401);
    });
  }));

test("with keys as set, memory: makes no file, and keys of the store are valid too if there are any", () =>
  withTempFolder(async (folder) => {
    const args = ["--store=memory:", "--key=k"];
    await withServer(folder, { args }, async (server) => assert.equal(await statusOf(server, "k"), 200));
    assert.deepEqual(readdirSync(folder), []);
    const key = await keysOf(folder, "memory:").add("--label=one");
    await withServer(folder, { args }, async (server) => {
      assert.match(server.written.stdout, /API key +as set$/m);
      assert.deepEqual([await statusOf(server, "k"), await statusOf(server, key)], [200, 200]);
    });
    assert.ok(!existsSync(join(folder, "data", "api-key")));
  }));

test("a key can be added before the first start, which then makes none", () =>
  withTempFolder(async (folder) => {
    const { run } = keysOf(folder, "sqlite:data/petstore.db");
    const { stdout, stderr } = await run("add", "--label=mine");
    const key = stdout.trim();
    assert.match(
      stderr,
      /^petstore: data\/petstore\.db is new; servers that use it will accept the key\npetstore: key-/,
    );
    await withServer(folder, {}, async (server) => {
      assert.equal(await statusOf(server, key), 200);
      assert.match(server.written.stdout, /API key +in the store/);
    });
    assert.ok(!existsSync(join(folder, "data", "api-key")));
  }));

test("a store without keys takes the key file of an earlier release, and a revoked key file stays revoked", () =>
  withTempFolder(async (folder) => {
    Deno.mkdirSync(join(folder, "data"), { mode: 0o700 });
    writeFileSync(join(folder, "data", "api-key"), "pk_of_an_earlier_release\n", { mode: 0o600 });
    const { succeed, list } = keysOf(folder, "sqlite:data/petstore.db");
    await withServer(folder, {}, (server) => addPet(server, "pk_of_an_earlier_release"));
    const [key, ...others] = await list();
    assert.deepEqual([key?.label, others.length], ["first start", 0]);
    await succeed("revoke", key!.id);
    await withServer(folder, {}, async (server) => {
      assert.match(server.written.stdout, /API key +none is valid \(petstore keys add makes one\)$/m);
      assert.equal(await statusOf(server, "pk_of_an_earlier_release"), 401);
    });
  }));

test("what is wrong has status 2 and one line, makes no file, and shows no key", () =>
  withTempFolder(async (folder) => {
    const wrong: [args: string[], shows: RegExp][] = [
      [["add"], /Say what the key is for, as in petstore keys add --label ci/],
      [["add", "--label="], /label of a key must be/],
      [["add", "--label=ci", "--expires=soon"], /--expires must be a time such as 12h or 90d.*not "soon"/],
      [["add", "--label=ci", "--expires=0d"], /expiry of a key must be a Date in the future/],
      [["add", "--lable=ci"], /did you mean --label\?/],
      [["ad"], /There is no such command; did you mean keys add\?/],
      [["list"], /pets\.db does not exist/],
      [["rotate"], /pets\.db does not exist/],
      [["revoke", "petstore_secret"], /pets\.db does not exist/],
    ];
    for (const [args, shows] of wrong) {
      const { status, stdout, stderr } = await keysOf(folder, "sqlite:pets.db").run(...args);
      assert.deepEqual([status, stdout], [2, ""], stderr);
      assert.match(stderr, /^petstore: [^\n]+\n$/);
      assert.match(stderr, shows);
      assert.ok(!stderr.includes("petstore_secret"));
      assert.deepEqual(readdirSync(folder), []);
    }
    const { run, add } = keysOf(folder, "sqlite:pets.db");
    await add("--label=ci");
    for (const args of [["rotate", "petstore_secret"], ["revoke", "petstore_secret"], ["revoke", ""]]) {
      const { status, stderr } = await run(...args);
      assert.equal(status, 2);
      assert.match(stderr, /(no such key|id of the key is missing); petstore keys list shows the ids/);
      assert.ok(!stderr.includes("petstore_secret"));
    }
    for (const args of [[], ["--help"]]) {
      const { status, stdout } = await run(...args);
      assert.equal(status, 0);
      assert.match(stdout, /keys add[^]*keys list[^]*keys rotate[^]*keys revoke/);
    }
  }));

testUnless(NO_PROC)(
  "a key that cannot be printed is revoked, and the command says so with status 1",
  () =>
    withTempFolder(async (folder) => {
      const { add, list, idOf } = keysOf(folder, "sqlite:pets.db");
      await add("--label=old");
      for (const args of [["add", "--label=lost"], ["rotate", await idOf("old")]]) {
        const line = ['exec "$0" "$@" >/dev/full', ...serverCommand(), "keys", ...args, "--store=sqlite:pets.db"];
        await using child = new Child("sh", ["-c", ...line], { cwd: folder, clearEnv: true, env: environment() });
        assert.equal(await child.exit(), 1);
        assert.match(
          child.written.stderr,
          /standard output cannot be written.*\npetstore: The key cannot be printed; key-\w+ is revoked\n$/,
        );
      }
      assert.deepEqual((await list()).map(({ label, state }) => `${label} ${state}`), [
        "old valid",
        "lost revoked",
        "old revoked",
      ]);
    }),
);

testUnless(POSTGRES_SKIP)(
  "while PostgreSQL does not answer, a command and a start end with status 1",
  () =>
    withSchema((url, schema) =>
      withTempFolder(async (folder) => {
        const store = `${url}?schema=${schema}`;
        const { add, run } = keysOf(folder, store);
        await add("--label=ci");
        await withLockedTable(url, `${schema}.api_keys`, async () => {
          const [listed, started] = await Promise.all([
            run("list"),
            runServer(folder, { env: { PETSTORE_STORE: store } }),
          ]);
          assert.match(listed.stderr, /^petstore: The API keys cannot be used: PostgreSQL has not answered/);
          assert.match(
            started.stderr,
            /^petstore: The API keys of the store cannot be used: PostgreSQL has not answered/,
          );
          assert.deepEqual([listed.status, started.status], [1, 1]);
        });
      })
    ),
);

test("a key file with a key of one's own that begins as keys made here is valid", () =>
  withTempFolder(async (folder) => {
    Deno.mkdirSync(join(folder, "data"), { mode: 0o700 });
    writeFileSync(join(folder, "data", "api-key"), "petstore_mine\n", { mode: 0o600 });
    await withServer(folder, {}, async (server) => assert.equal(await statusOf(server, "petstore_mine"), 200));
  }));

test("keys that are added at once beside a busy server are all kept", () =>
  withTempFolder((folder) =>
    withServer(folder, { args: ["--store=sqlite:pets.db", "--log=off"] }, async (server) => {
      const first = readKey(folder);
      let isDone = false;
      const busy = (async () => {
        while (!isDone) await addPet(server, first);
      })();
      const { add, list } = keysOf(folder, "sqlite:pets.db");
      for (let round = 0; round < 2; round++) {
        await Promise.all(Array.from({ length: 4 }, (_, i) => add(`--label=${round}.${i}`)));
      }
      isDone = true;
      await busy;
      assert.equal((await list()).length, 9);
    })
  ));

test("a use is noted within two minutes, and at the latest when the server ends", () =>
  withTempFolder(async (folder) => {
    const { add, list } = keysOf(folder, "sqlite:pets.db");
    const key = await add("--label=ci");
    const before = Date.now();
    await withServer(folder, { args: ["--store=sqlite:pets.db"] }, async (server) => {
      await addPet(server, key);
      assert.equal(await server.stop(), 0);
    });
    const [used] = await list();
    assert.ok(Date.parse(used!.lastUsed!) >= before - 1);
  }));

test("while the keys cannot be read, the last ones stay valid and the server says so, and then follows again", () =>
  withTempFolder(async (folder) => {
    const { add, run } = keysOf(folder, "memory:");
    const path = join(folder, "data", "keys.db");
    await withServer(folder, { args: ["--store=memory:"] }, async (server) => {
      const key = await add("--label=ci");
      await follows([server], key, 200);
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
      const { id } = JSON.parse((await run("list", "--json")).stdout)[1];
      await run("revoke", id);
      await follows([server], key, 401);
      assert.equal(server.written.stderr.split("\n").length, 3);
    });
  }));

test("the file has no key in clear text, but its hash", () =>
  withTempFolder(async (folder) => {
    const key = await keysOf(folder, "sqlite:pets.db").add("--label=ci");
    const bytes = readFileSync(join(folder, "pets.db"), "latin1");
    assert.ok(!bytes.includes(key.slice(0, 20)) && !bytes.includes(key.slice(-20)));
    using db = new DatabaseSync(join(folder, "pets.db"));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))).toHex();
    assert.equal(db.prepare("SELECT digest FROM api_keys").get()?.["digest"], digest);
  }));
