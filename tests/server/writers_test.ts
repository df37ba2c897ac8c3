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
    const written: string[] = [];
    let read = () => {};
    const { output } = createWriters(() => (bytes) => {
      written.push(new TextDecoder().decode(bytes));
      return new Promise<void>((resolve) => read = resolve);
    });
    for (let round = 0; round < 2; round++) {
      written.length = 0;
      output.add("first");
      await pause();
      const line = "x".repeat(1_000);
      // 1,048 of these lines, with their ends, are more than the buffer takes before it drops one.
      for (let i = 0; i < 1_100; i++) output.add(line);
      read();
      await pause();
      const told = written.at(-1)!.trimEnd().split("\n");
      assert.equal(told.filter((each) => each === line).length, 1_048);
      assert.equal(told.at(-1), "52 lines were dropped because the reader was too slow");
      read();
      await pause();
      output.add("last");
      await pause();
      assert.deepEqual(written.slice(2), ["last\n"]);
      read();
      await pause();
    }
  }));

test("after a write that has failed, later lines are written, and the failure is told once", () =>
  withVirtualClock(async () => {
    const written: string[] = [], errors: string[] = [];
    let failures = 0, isFull = true;
    const { output } = createWriters(
      (stream) => (bytes) => {
        const text = new TextDecoder().decode(bytes);
        if (stream === "errors") errors.push(text);
        else if (isFull) return pause().then(() => Promise.reject(new Error("no space left on device")));
        else written.push(text);
        return Promise.resolve();
      },
      () => failures++,
    );
    output.add("one");
    await sleep(50);
    // This line comes while the first write is failing. No other line comes after it.
    output.add("two");
    isFull = false;
    await pause();
    await pause();
    assert.deepEqual(written, ["two\n"]);
    output.add("three");
    await pause();
    assert.deepEqual(written, ["two\n", "three\n"]);
    isFull = true;
    output.add("four");
    await pause();
    await pause();
    assert.equal(failures, 1);
    assert.deepEqual(errors, ["petstore: standard output cannot be written: no space left on device\n"]);
    assert.equal(output.hasFailed, true);
  }));

test("after a reader has closed the pipe, which is not told, the output counts as failed", () =>
  withVirtualClock(async () => {
    const errors: string[] = [];
    let failures = 0;
    const { output } = createWriters(
      (stream) => (bytes) => {
        if (stream === "output") return Promise.reject(Object.assign(new Error("broken pipe"), { code: "EPIPE" }));
        errors.push(new TextDecoder().decode(bytes));
        return Promise.resolve();
      },
      () => failures++,
    );
    output.add("a key");
    await output.flush();
    assert.deepEqual([output.hasFailed, failures], [true, 0]);
    await pause();
    assert.deepEqual(errors, []);
  }));
