/** The commands that manage API keys, beside servers that follow them. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isMistyped } from "../../../lib/access/key_text.ts";
import { runLine, succeed } from "../../support/server/pet_files.ts";
import { test, withServerHere } from "../../support/server/in_process.ts";
import { addPet, readKey, runCommand, withServer } from "../../support/server/server_process.ts";
import { addKey, follows, idOf, listKeys, statusOf } from "../../support/server/keys.ts";

test.inFolder("keys are added, rotated and revoked beside a server on an SQLite file, which follows, and none gets lost", (folder) =>
  withServer(folder, { args: ["--store=sqlite:pets.db", "--log=off"] }, async (server) => {
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
    const [, old, , renewed] = await listKeys();
    assert.deepEqual([old?.label, renewed?.label, renewed?.caller], ["ci", "ci", old?.caller]);
    const days = (time?: string) => Math.round((Date.parse(time ?? "") - Date.now()) / 86_400_000);
    assert.deepEqual([days(old?.expires), days(renewed?.expires)], [7, 90]);

    assert.equal(await succeed(`keys revoke ${old!.id}`), `${old!.id} is revoked\n`);
    // The key itself, as it was found somewhere, in place of its id.
    const { stdout, stderr } = await runLine(`keys revoke ${reader}`);
    assert.equal(stdout + stderr, `${await idOf("reader")} is revoked\n`);
    await follows(server, reader, 401);
    assert.deepEqual([await statusOf(server, ci), await statusOf(server, next)], [401, 200]);
    const states = (await listKeys()).map(({ label, state, readOnly }) =>
      `${label}, ${state}${readOnly ? ", reads" : ""}`
    );
    assert.deepEqual(states, ["first start, valid", "ci, revoked", "reader, revoked, reads", "ci, valid"]);
    const table = await succeed("keys list");
    assert.match(table, /^ID +STATE +RIGHTS +CREATED +EXPIRES +CALLER +LABEL\nkey-\w+ +valid +read, write +20/);
    for (const key of [first, ci, reader, next]) assert.ok(!table.includes(key));

    // Even the first key can be revoked, and the last one, with a warning.
    await succeed(`keys revoke ${await idOf("first start")}`);
    const last = await runCommand(".", ["keys", "revoke", renewed!.id, "--store=sqlite:pets.db"]);
    assert.equal(last.stderr, "petstore: no key of the store is valid now; petstore keys add makes one\n");
    await follows(server, next, 401);
    assert.equal(await statusOf(server, first), 401);

    const key = await addKey("--label=again");
    let isDone = false;
    const busy = (async () => {
      while (!isDone) await addPet(server, key);
    })();
    await Promise.all(Array.from({ length: 8 }, (_, i) => addKey(`--label=${i}`)));
    isDone = true;
    await busy;
    assert.equal((await listKeys()).length, 13);
    assert.equal(await server.stop(), 0);
  }));

test.inFolder("a revoked key leaves the key file, whoever owns and reads that; a file that cannot be read is told", async () => {
  await withServerHere({ args: ["--store=sqlite:pets.db"] }, async (server) => {
    const key = readKey(".");
    chmodSync("data/api-key", 0o644);
    // Root revokes the key of a service that has a user of its own.
    if (Deno.uid() === 0) Deno.chownSync("data/api-key", 65534, 65534);
    const { status, stderr } = await runLine(`keys revoke ${await idOf("first start")}`);
    assert.match(stderr, /^petstore: data\/api-key had this key, and is removed$/m);
    assert.match(stderr, /no key of the store is valid now/);
    assert.deepEqual([status, existsSync("data/api-key")], [0, false]);
    await follows(server, key, 401);
    mkdirSync("data/api-key");
    const told = await runLine(`keys revoke ${key}`);
    assert.match(told.stderr, /^petstore: data\/api-key was not removed: .* If it has the revoked key, remove it$/m);
    assert.equal(told.status, 0);
  });
});

test.inFolder("a command on keys leaves the file without its log, also one that is refused", async () => {
  await addKey("--label=ci");
  const files = readdirSync(".").toSorted();
  assert.ok(files.includes("pets.db") && !files.includes("pets.db-wal"));
  for (const line of ["keys revoke key-none", "keys rotate key-none", "keys add --label=b"]) {
    assert.equal((await runLine(line)).status, line.endsWith("key-none") ? 2 : 0);
    assert.deepEqual(readdirSync(".").toSorted(), files, line);
  }
});

test.inFolder("the file beside a store loses a revoked key, and a rotation says that a file still has the old one", async () => {
  // A server that starts in the folder `a` has both files there.
  mkdirSync("a/data", { recursive: true });
  const key = await addKey("--label=x --store=sqlite:a/data/petstore.db");
  writeFileSync("a/data/api-key", `${key}\n`, { mode: 0o600 });
  const rotated = await runLine(`keys rotate ${key} --store=sqlite:a/data/petstore.db`);
  assert.match(rotated.stderr, /^petstore: \S+a\/data\/api-key still has the old key, which a new store would accept/m);
  symlinkSync("a/data/petstore.db", "link.db");
  const revoked = await runLine(`keys revoke ${key} --store=sqlite:link.db`);
  assert.match(revoked.stderr, /^petstore: \S+a\/data\/api-key had this key, and is removed$/m);
  assert.equal(existsSync("a/data/api-key"), false);
});

test.inFolder("a server with pets in memory makes a key for itself at each start, shows it, and makes no file", async () => {
  const shown = new Set<string>();
  for (let start = 0; start < 2; start++) {
    await withServerHere({ args: ["--store=memory:"] }, async (server) => {
      const [, key = ""] = /API key +(petstore_\w+) \(new, until the server stops\)$/m.exec(server.written.stdout) ??
        [];
      assert.ok(server.written.stdout.includes(`Bearer ${key}"`));
      assert.equal(await statusOf(server, key), 200);
      shown.add(key);
    });
  }
  assert.equal(shown.size, 2);
  const json = await runLine("serve --store=memory: --log=json");
  assert.match(json.stderr, /a log as JSON does not show; set a key/);
  assert.equal(json.status, 2);
  await withServerHere({ args: ["--store=memory:", "--key=k"] }, async (server) => {
    assert.match(server.written.stdout, /API key +as set$/m);
    assert.equal(await statusOf(server, "k"), 200);
  });
  assert.deepEqual(readdirSync("."), []);
});

test.inFolder("a key can be added before the first start, which then makes none, and the file has no key but its hash", async () => {
  const { stdout, stderr } = await runLine("keys add --label=mine --store=sqlite:data/petstore.db");
  const key = stdout.trim();
  assert.match(stderr, /^petstore: data\/petstore\.db is new; servers that use it will accept the key\npetstore: key-/);
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
});

test.inFolder("keys list shows one row for each key, also if another program wrote control characters into a label", async () => {
  await addKey("--label=ci");
  const forged = "a\nkey-000000000000  valid  read, write\r\x1b[2K\u2028b\x7f\x9b2J";
  using db = new DatabaseSync("pets.db");
  db.prepare("UPDATE api_keys SET label = ?, caller = ?").run(forged, forged);
  db.close();
  const table = await succeed("keys list");
  assert.equal(table.trimEnd().split("\n").length, 2);
  // deno-lint-ignore no-control-regex -- what must not be printed
  assert.doesNotMatch(table.trimEnd().replace("\n", ""), /[\0-\x1f\x7f-\x9f\u2028]/);
  assert.match(table, /a\\nkey-000000000000/);
});
