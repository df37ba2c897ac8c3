import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { addPet, countPets, readKey, withServer } from "../support/server/server_process.ts";
import { ROOT } from "../support/pages.ts";
import { NODE } from "../support/server/serve_task.ts";
import { assertRefused, startShell } from "../support/server/pet_files.ts";
import { Child } from "../support/system/child.ts";
import { command } from "../support/system/commands.ts";
import { test } from "../support/server/in_process.ts";

test.withFolder("the first start makes a key and a store and says so once; the second keeps the key and the pets", async (folder) => {
  let key = "";
  await withServer(folder, {}, async (server) => {
    key = readKey(folder);
    assert.ok(server.written.stdout.includes(key));
    assert.match(server.written.stdout, /petstore\.db \(new\)$/m);
    const [, line = ""] = await server.printed(/^ {2}try +(.*)$/m);
    // A stand-in for curl shows its arguments, on machines without curl too.
    const seen = command("sh", "-c", `cd ${folder}; curl() { printf '%s\\n' "$@"; }\n${line}`);
    assert.deepEqual(seen.split("\n"), ["-H", `Authorization: Bearer ${key}`, `${server.origin}/v1/pets`]);
    await addPet(server, key);
    assert.equal(await server.stop(), 0);
    assert.equal(server.written.stderr, "");
  });
  // The owner of the folder wants it in a commit.
  const ignore = join(folder, "data", ".gitignore");
  rmSync(ignore);
  await withServer(folder, {}, async (server) => {
    assert.ok(!existsSync(ignore));
    assert.equal(await countPets(server, key), 1);
    assert.equal(await server.stop(), 0);
    assert.match(server.written.stdout, /petstore\.db$/m);
    assert.ok(!(server.written.stdout + server.written.stderr).includes(key));
  });
  assert.equal(readKey(folder), key);
});

test.withFolder("keys that are not UTF-8 end the start with one line that does not show them", async (folder) => {
  const exit = await startShell(folder, `PETSTORE_KEYS=$'secret\\xE9' exec "$@" serve`).run();
  assertRefused(exit, "petstore: PETSTORE_KEYS is not text in UTF-8\n");
});

test("on a Node without SQLite, such as Node 20, or one with the flag that turns it off, the program says in one line which Node it needs", async () => {
  const main = join(ROOT, "lib", "server", "node", "main.ts");
  const { status, stdout, stderr } = await new Child(NODE, ["--no-experimental-sqlite", main, "serve"]).run();
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^petstore: Node \S+ has no SQLite; use 22\.13 or later, and not --no-experimental-sqlite\n$/);
});
