/**
 * What the program writes: in processes whose outputs are pipes and full disks, and by its writers of
 * lines alone.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "node:path";
import { sleep } from "../../lib/promises.ts";
import { createWriters, type Sinks, writeAll, type Writers } from "../../lib/server/process/writers.ts";
import { RawSocket } from "../support/http/raw_socket.ts";
import { post } from "../support/http/requests.ts";
import { startShell } from "../support/server/pet_files.ts";
import { addPet, serverAt } from "../support/server/server_process.ts";
import type { Child } from "../support/system/child.ts";
import { command, NO_PROC, testUnless } from "../support/system/commands.ts";
import { freePort } from "../support/system/free_port.ts";
import { withTempFolder } from "../support/temp.ts";
import { testWith } from "../support/test_with.ts";
import { until } from "../support/until.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const testProcess = testWith(withTempFolder, testUnless(NO_PROC));

async function withRedirected(
  folder: string,
  redirection: string,
  use: (port: number, child: Child) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  await using child = startShell(folder, `exec "$@" --port=${port} --key=k --store=sqlite:pets.db ${redirection}`);
  await child.accepts(port);
  await until("the start", async () => (await serverAt(port).ask("/readyz", null)).status === 200);
  await use(port, child);
}

testProcess("a server whose outputs are a full pipe without a reader serves, and ends at SIGTERM", async (folder) => {
  const path = join(folder, "pipe");
  command("mkfifo", path);
  using pipe = Deno.openSync(path, { read: true, write: true });
  // Linux keeps 16 pages for a pipe.
  for (let i = 0; i < 16; i++) pipe.writeSync(new Uint8Array(4096));
  await withRedirected(folder, `1<>${path} 2<>${path}`, async (port, child) => {
    // Now each create writes to standard error, and each request to standard output.
    Deno.removeSync(join(folder, "pets.db"));
    const server = serverAt(port);
    await assert.rejects(addPet(server, "k"), /answered with 503/);
    assert.equal((await server.ask("/livez", null)).status, 200);
    assert.equal(await child.stop(), 0);
  });
});

testProcess(
  "a server whose standard output is on a full disk says so, serves, and ends at SIGTERM",
  (folder) =>
    withRedirected(folder, ">/dev/full", async (_port, child) => {
      assert.equal(await child.stop(), 0);
      assert.match(child.written.stderr, /^petstore: standard output cannot be written: [^\n]*no space left[^\n]*\n$/i);
    }),
);

testProcess(
  "a second SIGTERM ends a server at once that waits for a client, with status 1",
  (folder) =>
    withRedirected(folder, "", async (port, child) => {
      using socket = await RawSocket.open({ port }, 30_000);
      await socket.send(post("", "Content-Length: 9\r\nExpect: 100-continue\r\n"));
      assert.equal((await socket.readResponse())?.status, 100);
      const again = setInterval(() => child.kill("SIGTERM"), 100);
      // After one signal it would have waited for the body and exited with 0.
      assert.equal(await child.exit().finally(() => clearInterval(again)), 1);
    }),
);

/** Scripts whose last command cannot print its result, and what it says. */
const LOST: [script: string, says: RegExp][] = [
  ['exec "$@" openapi >/dev/full', /^petstore: standard output cannot be written: .*$/m],
  ['exec "$@" help >/dev/full', /^petstore: standard output cannot be written: .*$/m],
  ['exec "$@" keys add --label=ci >/dev/full', /^petstore: standard output cannot be written: .*$/m],
  // The reader of the pipe has ended.
  [
    '"$@" keys add --label=ci | true; exit ${PIPESTATUS[0]}',
    /^petstore: key-[0-9a-f]{12} \(ci\) was added, but cannot be printed; revoke it/m,
  ],
];

testProcess("a command has the status 1 if its result cannot be printed", async (folder) => {
  for (const [script, says] of LOST) {
    const { status, stderr } = await startShell(folder, script).run();
    assert.equal(status, 1, script);
    assert.match(stderr, says);
  }
});

/** Waits until a line that was added could have been written. */
const pause = () => sleep(100);

/** Writers of streams on which this function is called with each text, and may wait or throw. */
function writersTo(write: (text: string, stream: keyof Sinks) => void | Promise<void>): Writers {
  const sinkOf = (stream: keyof Sinks) => ({
    async write(bytes: Uint8Array) {
      await write(new TextDecoder().decode(bytes), stream);
      return bytes.length;
    },
  });
  return createWriters({ output: sinkOf("output"), errorOutput: sinkOf("errorOutput") });
}

test("lines that come together are written together, in order, without a flush, and flush() waits for the last", () =>
  withVirtualClock(async () => {
    const writes: string[] = [];
    const more = Array.from({ length: 2_000 }, (_, i) => `${i} é😀${"€".repeat(20)}`);
    const { output } = writersTo((text) => {
      writes.push(text);
      if (writes.length === 1) { for (const line of more) output.add(line); }
    });
    for (const line of ["a", "b", "c"]) output.add(line);
    await pause();
    assert.deepEqual(writes, ["a\nb\nc\n", `${more.join("\n")}\n`]);
    output.add("e");
    const flushed = output.flush();
    output.add("f");
    await flushed;
    assert.equal(writes.slice(2).join(""), "e\nf\n");
  }));

test("bytes of which each write takes only a part are written whole, in order", async () => {
  let written = "";
  const write = (bytes: Uint8Array) => {
    const part = bytes.subarray(0, 3);
    written += new TextDecoder().decode(part);
    return Promise.resolve(part.length);
  };
  await writeAll({ write }, new TextEncoder().encode("0123456789"));
  assert.equal(written, "0123456789");
});

test("lines that a slow reader has no room for are counted once, and after it has read, none is lost", () =>
  withVirtualClock(async () => {
    const written: string[] = [];
    const line = "x".repeat(1_000);
    let read = () => {};
    const { output } = writersTo((text) => {
      written.push(text);
      return new Promise((resolve) => read = resolve);
    });
    output.add("first");
    await pause();
    // 1,048 of these lines, with their ends, are more than the buffer takes before it drops one.
    for (let i = 0; i < 1_100; i++) output.add(line);
    read();
    await pause();
    read();
    await pause();
    output.add("last");
    await pause();
    const told = "52 lines were dropped because the reader was too slow\n";
    assert.deepEqual(written, ["first\n", `${line}\n`.repeat(1_048) + told, "last\n"]);
  }));

test("after a write that has failed, later lines are written, and the failure is told once", () =>
  withVirtualClock(async () => {
    const written = { output: "", errorOutput: "" };
    let isFailing = true;
    const { output } = writersTo(async (text, stream) => {
      if (stream === "errorOutput" || !isFailing) return void (written[stream] += text);
      await pause();
      throw new Error("no space left on device");
    });
    output.add("one");
    await output.flush();
    output.add("two");
    await pause();
    // This line comes while a write is failing. No other line comes after it.
    output.add("three");
    isFailing = false;
    await sleep(300);
    const told = "petstore: standard output cannot be written: no space left on device\n";
    assert.deepEqual(written, { output: "three\n", errorOutput: told });
  }));
