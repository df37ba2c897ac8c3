/**
 * Starts: the first and the second, by the unit of systemd, and those that must fail. Wrong command
 * lines: refusals_test.ts.
 */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KeyedPetStore, type PetQuery, StoreUnavailableError } from "../../lib/stores/store.ts";
import { createMemoryStore } from "../../mod.ts";
import { readPage, ROOT } from "../support/pages.ts";
import { startWithoutSocket, test } from "../support/server/in_process.ts";
import { assertRefused, refuse, startShell } from "../support/server/pet_files.ts";
import { NODE, serverCommand } from "../support/server/serve_task.ts";
import { addPet, countPets, readKey, serverAt, withServer } from "../support/server/server_process.ts";
import { started, startUnit } from "../support/server/unit.ts";
import { Child } from "../support/system/child.ts";
import { command } from "../support/system/commands.ts";
import { freePort } from "../support/system/free_port.ts";

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

test.withFolder("on Node, the server does not start in a working directory that was deleted, and says so", async (folder) => {
  // Deno itself does not start there.
  const script = 'rmdir "$PWD"; exec "$@" serve --port=0';
  const { status, stderr } = await new Child("bash", ["-c", script, "bash", ...serverCommand(true)], { cwd: folder })
    .run();
  assert.match(stderr, /^petstore: The program cannot go on: .*current working directory.*\n$/);
  assert.equal(status, 2);
});

for (const [flag, address] of [["--port", ""], ["--metrics", "127.0.0.1:"]] as const) {
  test.inFolder(`a start on a port that ${flag} names and that is in use says how to get another, with status 1`, async (folder) => {
    using socket = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = socket.addr as Deno.NetAddr;
    const reason = `the port is in use; choose another by ${flag}, or 0 for a free one\n`;
    const shows = `petstore: Cannot listen on 127.0.0.1:${port}: ${reason}`;
    await refuse(`serve ${flag} ${address}${port}`, shows, 1);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
}

test("a start that fails after it has listened closes its socket and its store, and says that the store is new", async () => {
  const calls: string[] = [];
  const note = (call: string) => () => Promise.resolve(void calls.push(call));
  const store = Object.assign(createMemoryStore(), {
    isNew: true,
    check: () => Promise.reject(new StoreUnavailableError("down")),
    close: note("close"),
  });
  const written = { stdout: "", stderr: "" };
  await assert.rejects(startWithoutSocket(["--key=k"], store, { stop: note("stop"), written }), { message: "down" });
  assert.deepEqual(calls, ["stop", "close"]);
  assert.deepEqual(written, { stdout: "", stderr: "petstore: the store is new\n" });
});

test("a start fails if a kind of read fails, as on a file that is damaged in a part", async () => {
  const damaged = new StoreUnavailableError("damaged");
  const keys = Object.assign(createMemoryStore().keys, { list: () => Promise.reject(damaged) });
  const listUnless = (isDamaged: (query: PetQuery) => boolean) => {
    return { list: (query: PetQuery) => isDamaged(query) ? Promise.reject(damaged) : { pets: [] } };
  };
  const broken = [
    { check: () => Promise.reject(damaged) },
    listUnless(({ status }) => status === undefined),
    listUnless(({ status }) => status !== undefined),
    { keys },
  ];
  for (const part of broken) {
    const store = Object.assign(createMemoryStore(), part) as KeyedPetStore;
    await assert.rejects(startWithoutSocket(["--key=k"], store), damaged);
  }
});

test("every command that serves on Deno is quiet: otherwise clients can make Deno print, and wait", () => {
  const pages = ["hosts.md", "server.md", "production.md", "petstore.service", "petstore-postgres.service"];
  const text = ["deno.json", "README.md", ...pages.map((name) => `docs/${name}`)].map(readPage).join("\n");
  const commands = text.match(/deno (run|serve)\b[^`"]*?(server|app)\.ts|(?<=by `)deno run[^`]*/g) ?? [];
  assert.ok(commands.length > 5);
  for (const line of commands) assert.match(line, /^deno (run|serve) --quiet\b/);
});

test.withFolder("the unit's command serves with the permissions that it grants, with metrics and credentials if its environment says so", async (folder) => {
  const metrics = await freePort();
  const env = { DENO_DIR: join(folder, "cache"), PETSTORE_METRICS: `127.0.0.1:${metrics}` };
  const credentials = join(folder, "credentials");
  const moved = (word: string) =>
    word.replace("127.0.0.1:9464", `127.0.0.1:${metrics}`).replace("/run/credentials/petstore.service", credentials);
  await using child = startUnit("petstore.service", { cwd: folder, env }, moved);
  const port = await started(child);
  const key = readFileSync(join(folder, "data", "api-key"), "utf8").trim();
  await addPet(serverAt(port), key);
  await child.accepts(metrics);
  assert.equal(await child.stop(), 0);

  mkdirSync(credentials);
  writeFileSync(join(credentials, "keys"), "pk_credential\n");
  writeFileSync(join(credentials, "store"), "sqlite:data/other.db\n");
  const files = { PETSTORE_KEYS_FILE: join(credentials, "keys"), PETSTORE_STORE_FILE: join(credentials, "store") };
  await using second = startUnit("petstore.service", { cwd: folder, env: { ...env, ...files } }, moved);
  await addPet(serverAt(await started(second)), "pk_credential");
  assert.equal(await second.stop(), 0);
  assert.ok(existsSync(join(folder, "data", "other.db")));
});
