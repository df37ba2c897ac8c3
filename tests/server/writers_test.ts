/** The writers of lines: what comes together, and what comes after a reader was slow or a write has failed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { sleep } from "../../lib/promises.ts";
import { createWriters } from "../../lib/server/process/writers.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

/** Waits until a line that was added could have been written. */
const pause = () => sleep(100);

test("lines that come together are written together, in order, without a flush, and flush() waits for the last", async () => {
  const writes: string[] = [], more = Array.from({ length: 2_000 }, (_, i) => `${i} é😀${"€".repeat(20)}`);
  const { promise, resolve } = Promise.withResolvers<void>();
  const { output: writer } = createWriters(() => async (bytes) => {
    if (writes.length === 0) { for (const line of more) writer.add(line); }
    // What is added during a write leaves its bytes alone.
    await undefined;
    if (writes.push(new TextDecoder().decode(bytes)) === 2) resolve();
  });
  for (const line of ["a", "b", "c"]) writer.add(line);
  await promise;
  assert.deepEqual(writes, ["a\nb\nc\n", `${more.join("\n")}\n`]);
  writer.add("e");
  const flushed = writer.flush();
  writer.add("f");
  await flushed;
  assert.equal(writes.slice(2).join(""), "e\nf\n");
});

test("lines that a slow reader has no room for are counted once, and after it has read, none is lost", () =>
  withVirtualClock(async () => {
    const written: string[] = [], line = "x".repeat(1_000);
    let read = () => {};
    const { output } = createWriters(() => (bytes) => {
      written.push(new TextDecoder().decode(bytes));
      return new Promise<void>((resolve) => read = resolve);
    });
    for (let round = 0; round < 2; round++) {
      written.length = 0;
      output.add("first");
      await pause();
      // 1,048 of these lines, with their ends, are more than the buffer takes before it drops one.
      for (let i = 0; i < 1_100; i++) output.add(line);
      read();
      await pause();
      const told = "52 lines were dropped because the reader was too slow\n";
      assert.deepEqual(written, ["first\n", `${line}\n`.repeat(1_048) + told]);
      read();
      await pause();
      output.add("last");
      await pause();
      assert.equal(written[2], "last\n");
      read();
      await pause();
    }
  }));

test("after a write that has failed, later lines are written, and the failure is told once", () =>
  withVirtualClock(async () => {
    const written = { output: [] as string[], errors: [] as string[] };
    let failures = 0, isFailing = true;
    const writeOf = (stream: "output" | "errors") => async (bytes: Uint8Array) => {
      if (stream === "output" && isFailing) {
        await pause();
        throw new Error("no space left on device");
      }
      written[stream].push(new TextDecoder().decode(bytes));
    };
    const { output } = createWriters(writeOf, () => failures++);
    for (const line of ["one", "two"]) {
      output.add(line);
      await output.flush();
    }
    output.add("three");
    await sleep(50);
    // This line comes while a write is failing. No other line comes after it.
    output.add("four");
    isFailing = false;
    await sleep(300);
    const told = "petstore: standard output cannot be written: no space left on device\n";
    assert.deepEqual(written, { output: ["four\n"], errors: [told] });
    assert.deepEqual([output.hasFailed, failures], [true, 1]);
  }));
