/** A start that must fail says why in one line, prints nothing else, and exits with 2. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createMemoryStore } from "../../mod.ts";
import { fillUp, MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { Child } from "../support/system/child.ts";
import { inFolder, runHere, test, withServerHere } from "../support/server/in_process.ts";
import { readKey } from "../support/server/server_process.ts";
import { onDenoAlone, SERVER } from "../support/server/serve_task.ts";
import { startWithoutSocket } from "../support/server/without_socket.ts";
import { execute } from "../support/database.ts";
import { withTempFolder } from "../support/temp.ts";
import { testUnless } from "../support/system/commands.ts";

const K = "--key=k";

/** What the runtime says of a name or a file. Wrong flags and commands: refusals_test.ts. */
const CASES: [what: string, args: string[], shows: RegExp, prepare?: () => void][] = [
  ["a hostname that does not resolve", [K, "--hostname=petstore.invalid"], /petstore\.invalid/],
  ["a folder as a database", ["--key=pk_right", "--store=sqlite:."], /^petstore: \. /],
  ["a database of another program", [K, "--store=sqlite:books.db"], /books\.db.*another program/, () => {
    execute("books.db", "PRAGMA user_version = 1; CREATE TABLE pets (title TEXT)");
  }],
  // Even root cannot write below a file.
  ["a file as the folder for the key", ["--store=sqlite:pets.db"], /data\/api-key cannot be/, makeDataFile],
  ["a file as the folder for the database", [K], /data/, makeDataFile],
  ["a key file that others can read", [], /data\/api-key.*chmod 600/, () => {
    mkdirSync("data");
    writeFileSync("data/api-key", "pk_mine", { mode: 0o644 });
  }],
];

function makeDataFile(): void {
  writeFileSync("data", "");
}

async function assertFails(args: string[], shows: RegExp, wanted = 2): Promise<void> {
  const { status, stdout, stderr } = await runHere(["serve", "--port=0", ...args]);
  assert.match(stderr, /^petstore: [^\n]+\n$/);
  assert.match(stderr, shows);
  assert.doesNotMatch(stderr, /pk_/);
  assert.deepEqual([stdout, status], ["", wanted]);
}

for (const [what, args, shows, prepare] of CASES) {
  test.inFolder(`the server does not start with ${what}`, async () => {
    prepare?.();
    const before = readFiles();
    await assertFails(args, shows);
    for (const [name, bytes] of before) assert.deepEqual(readFiles().get(name), bytes, name);
  });
}

function readFiles(): Map<string, Uint8Array> {
  const files = [...Deno.readDirSync(".")].filter(({ isFile }) => isFile);
  return new Map(files.map(({ name }) => [name, Deno.readFileSync(name)]));
}

for (const [flag, address] of [["--port", ""], ["--metrics", "127.0.0.1:"]] as const) {
  test.inFolder(`a start on a port that ${flag} names and that is in use says how to get another, with status 1`, async (folder) => {
    using socket = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = socket.addr as Deno.NetAddr;
    const { status, stdout, stderr } = await runHere(["--port=0", flag, `${address}${port}`]);
    const reason = `the port is in use; choose another by ${flag}, or 0 for a free one`;
    assert.deepEqual([status, stdout, stderr], [1, "", `petstore: Cannot listen on 127.0.0.1:${port}: ${reason}\n`]);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
}

testUnless(MOUNT_SKIP)("the server does not start on a full disk, with status 1", () =>
  inFolder(async (root) => {
    for (const size of ["4k", "32k"]) {
      await withTmpfs(size, async (folder) => {
        process.chdir(folder);
        await assertFails([K], /the disk is full|no space|cannot be opened/i, 1);
        rmSync("data", { recursive: true, force: true });
        fillUp("full");
        await assertFails([K], /data.*(full|no space)/i, 1);
        process.chdir(root);
      });
    }
  }));

testUnless(onDenoAlone("permissions to lack"))(
  "a start without a permission says which one it lacks, and gives no advice to grant it",
  () =>
    withTempFolder(async (folder) => {
      const grants = { net: ["read", "write"], write: ["read", "net"], read: ["write", "net"] };
      for (const [missing, granted] of Object.entries(grants)) {
        const key = missing === "net" ? ["--key=k"] : ["--port=0"];
        const flags = [...granted.map((name) => `--allow-${name}`), SERVER, "--store=sqlite:data/pets.db", ...key];
        await using child = new Child(Deno.execPath(), ["run", "--no-prompt", "--no-config", ...flags], {
          cwd: folder,
        });
        assert.equal(await child.exit(), 2);
        const shows = missing === "net"
          ? /^petstore: [^\n]+ Requires net access to "[^\n]+", which the server was started without\n$/
          : /^petstore: data\/(pets\.db|api-key) cannot be (opened|used): (the program lacks Deno's permission for it|Requires (read|write) access to "[^\n]+", which the server was started without)\n$/;
        assert.match(child.written.stderr, shows);
      }
    }),
);

test.inFolder("a first start that fails, on an address that this machine lacks, shows its new key with the next start", async () => {
  await assertFails(["--hostname=192.0.2.1"], /192\.0\.2\.1/, 1);
  // No start has shown the key yet.
  await withServerHere({}, ({ written }) => assert.ok(written.stdout.includes(readKey("."))));
});

test("a start that fails after it has listened closes its socket and its store, and says that the store is new", async () => {
  const calls: string[] = [];
  const note = (call: string) => () => Promise.resolve(void calls.push(call));
  const store = Object.assign(createMemoryStore(), {
    isNew: true,
    check: () => Promise.reject(new StoreUnavailableError("down")),
    close: note("close"),
  });
  const listener = { stop: note("stop"), finish: note("finish") };
  const start = startWithoutSocket([K], store, listener, (line) => calls.push(line));
  await assert.rejects(start, { message: "down" });
  assert.deepEqual(calls, ["petstore: the store is new", "close", "stop", "finish"]);
});
