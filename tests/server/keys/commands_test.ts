/** The commands that manage API keys, beside servers that follow them. Refused command lines: refusals_test.ts. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isMistyped } from "../../../lib/access/key_text.ts";
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
} from "../../support/server/pet_files.ts";
import { test, withServerHere } from "../../support/server/in_process.ts";
import { addPet, readKey, withServer } from "../../support/server/server_process.ts";
import { execute } from "../../support/database.ts";

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
  const store = "--store=sqlite:a/data/petstore.db", file = "a/data/api-key";
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
