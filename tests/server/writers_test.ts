/** The writers of lines: what comes together, and what comes after a reader was slow or a write has failed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep } from "../../lib/promises.ts";
import { createWriters, type Sinks, writeAll, type Writers } from "../../lib/server/process/writers.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

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
    const writes: string[] = [], more = Array.from({ length: 2_000 }, (_, i) => `${i} é😀${"€".repeat(20)}`);
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
    const written: string[] = [], line = "x".repeat(1_000);
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
