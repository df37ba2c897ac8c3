/** A start that must fail says why in one line, prints nothing else, and exits with 2. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createMemoryStore } from "../../mod.ts";
import { fillUp, MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { inFolder, test, withServerHere } from "../support/server/in_process.ts";
import { refuse } from "../support/server/pet_files.ts";
import { readKey, runServer } from "../support/server/server_process.ts";
import { onDenoAlone } from "../support/server/serve_task.ts";
import { startWithoutSocket } from "../support/server/without_socket.ts";
import { NO_PROC, testUnless } from "../support/system/commands.ts";
import { withTempFolder } from "../support/temp.ts";

const makeDataFile = () => writeFileSync("data", "");

/** What the runtime says of a file that the start needs. Wrong flags and commands, and other files: refusals_test.ts. */
const CASES: [what: string, line: string, shows: string, prepare: () => void][] = [
  // Even root cannot write below a file.
  ["a file as the folder for the key", "serve", "data/api-key cannot be", makeDataFile],
  ["a file as the folder for the database", "PETSTORE_STORE= serve --key=k", "data", makeDataFile],
  ["a key file that others can read", "serve", "run chmod 600", () => {
    mkdirSync("data");
    writeFileSync("data/api-key", "pk_mine", { mode: 0o644 });
  }],
];

for (const [what, line, shows, prepare] of CASES) {
  test.inFolder(`the server does not start with ${what}`, async () => {
    prepare();
    const before = readFiles();
    await refuse(line, shows);
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
    const reason = `the port is in use; choose another by ${flag}, or 0 for a free one\n`;
    const shows = `petstore: Cannot listen on 127.0.0.1:${port}: ${reason}`;
    await refuse(`serve ${flag} ${address}${port}`, shows, 1);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
}

testUnless(MOUNT_SKIP)("the server does not start on a full disk, with status 1", () =>
  inFolder(async (root) => {
    for (const size of ["4k", "32k"]) {
      await withTmpfs(size, async (folder) => {
        process.chdir(folder);
        const start = "PETSTORE_STORE= serve --key=k";
        await refuse(start, /the disk is full|no space|cannot be opened/i, 1);
        rmSync("data", { recursive: true, force: true });
        fillUp("full");
        await refuse(start, /data.*(full|no space)/i, 1);
        process.chdir(root);
      });
    }
  }));

// Deno keeps these folders from a program that may read and write every path. CI systems put databases into /dev/shm for speed.
testUnless(NO_PROC || onDenoAlone("permissions to lack"))(
  "a start on a file in /dev, /proc or /sys says in one line that Deno does not permit it",
  () =>
    withTempFolder(async (folder) => {
      for (const path of ["/dev/shm/pets.db", "/proc/self/status", "/sys/pets.db"]) {
        const { status, stdout, stderr } = await runServer(folder, { args: [`--store=sqlite:${path}`] });
        assert.deepEqual(
          [status, stdout, stderr],
          [2, "", `petstore: ${path} cannot be opened: the program lacks Deno's permission for it\n`],
        );
      }
    }),
);

test.inFolder("a first start that fails, on an address that this machine lacks, shows its new key with the next start", async () => {
  await refuse("serve --hostname=192.0.2.1", "192.0.2.1", 1);
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
  const start = startWithoutSocket(["--key=k"], store, listener, (line) => calls.push(line));
  await assert.rejects(start, { message: "down" });
  assert.deepEqual(calls, ["petstore: the store is new", "close", "stop", "finish"]);
});
