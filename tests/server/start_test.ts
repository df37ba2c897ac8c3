import assert from "node:assert/strict";
import { join } from "node:path";
import { addPet, countPets, readKey, withServer } from "../support/server/server_process.ts";
import { NODE, ROOT } from "../support/server/serve_task.ts";
import { Child } from "../support/system/child.ts";
import { test } from "../support/server/in_process.ts";

function shell(folder: string, line: string): string {
  return new TextDecoder().decode(new Deno.Command("sh", { args: ["-c", line], cwd: folder }).outputSync().stdout);
}

test.withFolder("the first start makes a key for its owner alone and shows it once; the second keeps it, and the pets", async (folder) => {
  let key = "";
  await withServer(folder, {}, async (server) => {
    key = readKey(folder);
    assert.match(key, /^petstore_[0-9A-Za-z]{36}$/);
    assert.equal((Deno.statSync(join(folder, "data", "api-key")).mode ?? 0) & 0o777, 0o600);
    assert.equal((Deno.statSync(join(folder, "data")).mode ?? 0) & 0o777, 0o700);
    assert.ok(server.written.stdout.includes(key));
    const [, line = ""] = await server.printed(/^ {2}try +(.*)$/m);
    // A stand-in for curl shows its arguments, on machines without curl too.
    const seen = shell(folder, `curl() { printf '%s\\n' "$@"; }\n${line}`);
    assert.deepEqual(seen.trim().split("\n"), ["-H", `Authorization: Bearer ${key}`, `${server.origin}/v1/pets`]);
    await addPet(server, key);
    assert.equal(await server.stop(), 0);
    assert.equal(server.written.stderr, "");
  });
  await withServer(folder, {}, async (server) => {
    assert.equal(await countPets(server, key), 1);
    assert.equal(await server.stop(), 0);
    assert.ok(!(server.written.stdout + server.written.stderr).includes(key));
  });
  assert.equal(readKey(folder), key);
});

test("on a Node without SQLite, such as Node 20, the program says in one line which Node it needs", async () => {
  const main = join(ROOT, "lib", "server", "node", "main.ts");
  const { status, stdout, stderr } = await new Child(NODE, ["--no-experimental-sqlite", main, "serve"]).run();
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /^petstore: Node \S+ has no SQLite; use Node 22\.13 or later\n$/);
});
