/**
 * When a petstore reads keys, and which it knows while its store is slow, fails, does not answer, or
 * gets keys from another program. key_cache_model_test.ts has the order of events.
 */

import assert from "node:assert/strict";
import { sleep } from "../../lib/promises.ts";
import { DOWN, MAX_AGE, PATIENCE, testProgram } from "../support/key_program.ts";

testProgram("wrong keys cost the store a read in fifty milliseconds", async (program) => {
  for (const readMs of [0, 20, 90]) {
    await program.manager.check();
    Object.assign(program, { readMs, reads: 0 });
    await sleep(60);
    assert.deepEqual([await program.ask("pk_wrong"), program.reads], [["no", readMs], 1]);
    const [verdicts, wait] = await program.flood(3_000, "pk_wrong");
    assert.ok(
      verdicts === "no" && wait <= 60 + 2 * readMs && program.reads <= 62,
      `${wait} ms, ${program.reads} reads`,
    );
  }
});

testProgram(
  "known keys need no promise, keys that have not changed are not read again, and after a pause a change counts",
  async (program) => {
    const { id, key } = await program.other.add({ label: "ci" });
    await program.ask(key);
    Object.assign(program, { readMs: 400, reads: 0, keysRead: 0 });
    assert.deepEqual(await program.flood(4_000, key), ["yes", -1]);
    assert.deepEqual([program.reads, program.keysRead], [8, 0]);
    await sleep(60_000);
    await program.other.revoke(id);
    assert.equal((await program.ask(key))[0], "no");
  },
);

testProgram("the age of keys counts from the beginning of their read", async (program) => {
  const { id, key } = await program.other.add({ label: "ci" });
  program.readMs = 900;
  const read = program.manager.check();
  await sleep(10);
  await program.other.revoke(id);
  await read;
  await sleep(MAX_AGE - 880);
  assert.equal((await program.ask(key))[0], "no");
});

testProgram("a request waits for a read under way, also if an earlier one has ended", async (program) => {
  await program.manager.check();
  await sleep(60);
  const wrong = program.ask("pk_wrong");
  await sleep(10);
  program.readMs = 300;
  const renewed = program.manager.check();
  await wrong;
  assert.deepEqual(await program.ask("pk_other"), ["no", 590]);
  await renewed;
});

testProgram(
  "a read that fails after a later one has succeeded does not make a request forgo its own read",
  async (program) => {
    await program.manager.check();
    program.mode = "hangs";
    const hung = program.manager.check().catch(() => {});
    await sleep(100);
    program.mode = "works";
    await program.manager.check();
    await sleep(MAX_AGE - 150);
    await program.manager.check();
    // The request begins its read 50 ms after the one above. Meanwhile, the read that hangs reaches its time limit.
    const { key } = await program.other.add({ label: "added" });
    assert.equal((await program.ask(key))[0], "yes");
    await hung;
    assert.deepEqual(program.told, []);
  },
);

testProgram(
  "a change by this program counts at once, also if an earlier read ends later, and began at the same time of a coarse clock",
  async (program) => {
    const { id, key } = await program.manager.add({ label: "ci" });
    await sleep(60);
    program.readMs = 300;
    const wrong = program.ask("pk_wrong");
    // The store carries out the read before the change.
    for (let i = 0; i < 10; i++) await Promise.resolve();
    program.readMs = 20;
    await program.manager.revoke(id);
    await wrong;
    assert.equal((await program.ask(key))[0], "no");
  },
);

for (const mode of ["fails", "hangs"] as const) {
  testProgram(
    `while a store ${mode}, known keys are valid, others are refused at once, and the app is told once`,
    async (program) => {
      const { manager, other, told } = program;
      const { key } = await manager.add({ label: "known" });
      await program.ask(key);
      program.mode = mode;
      const [verdicts, wait] = await program.flood(3_000, key);
      assert.ok(verdicts === "yes" && wait <= MAX_AGE, `${verdicts} ${wait}`);
      program.reads = 0;
      assert.deepEqual(await program.flood(30_000, key), ["yes", -1]);
      // A read that hangs keeps others from beginning until its time limit.
      assert.ok(program.reads <= (mode === "hangs" ? 31 : 61), `${program.reads} reads`);
      const added = await other.add({ label: "added" });
      assert.deepEqual([await program.ask(added.key), told.length], [["no", 0], 1]);
      program.mode = "works";
      await program.flood(MAX_AGE + 100, key);
      assert.deepEqual([(await program.ask(added.key))[0], told.slice(1)], ["yes", [undefined]]);
      // Keys that are read after the time limit count too.
      program.readMs = 3_000;
      await other.revoke(added.id);
      await program.flood(4_500, key);
      assert.deepEqual([(await program.ask(added.key))[0], told.length], ["no", 3]);
    },
  );
}

testProgram(
  "before the first success, requests share a read, fail with its error, and the app is told nothing",
  async (program) => {
    const { manager, other, told } = program;
    const { key } = await other.add({ label: "ci" });
    program.mode = "fails";
    assert.deepEqual(await program.flood(1_000, key), ["error", 50]);
    await assert.rejects(manager.check(), DOWN);
    Object.assign(program, { mode: "hangs", reads: 0 });
    await sleep(MAX_AGE);
    assert.deepEqual([await program.flood(1_000, key), program.reads], [["error", PATIENCE], 1]);
    Object.assign(program, { mode: "works", readMs: PATIENCE - 100 });
    assert.deepEqual([await program.ask(key), told], [["yes", PATIENCE - 100], []]);
  },
);
