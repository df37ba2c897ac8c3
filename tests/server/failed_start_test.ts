/**
 * A start that must fail says why in one line, prints nothing else, and exits with 2. Wrong flags
 * and commands: refusals_test.ts.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { type KeyedPetStore, type PetQuery, StoreUnavailableError } from "../../lib/stores/store.ts";
import { createMemoryStore } from "../../mod.ts";
import { MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { inFolder, startWithoutSocket, test } from "../support/server/in_process.ts";
import { refuse } from "../support/server/pet_files.ts";
import { serverCommand } from "../support/server/serve_task.ts";
import { Child } from "../support/system/child.ts";
import { testUnless } from "../support/system/commands.ts";

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

testUnless(MOUNT_SKIP)(
  "the server does not start on a full disk, with status 1",
  () =>
    inFolder((root) =>
      withTmpfs("32k", async (folder) => {
        process.chdir(folder);
        await refuse("PETSTORE_STORE= serve --key=k", /the disk is full|no space|cannot be opened/i, 1);
        process.chdir(root);
      })
    ),
);

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
