/** Processes on Deno and Node that share a KV file, one of which is killed. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createKvStore } from "../../lib/kv/kv_store.ts";
import { NODE } from "../../../../tests/support/server/serve_task.ts";
import { Child } from "../../../../tests/support/system/child.ts";
import { test } from "../../../../tests/support/server/in_process.ts";
import { openTestKv, petsAfter, request, type StoredPet } from "../kv_support/kv.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

const RUNTIMES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  Deno: [Deno.execPath(), "run", "--allow-all", "--no-check"],
  Node: [NODE, "--disable-warning=ExperimentalWarning", "--import", `${ROOT}tests/support/names.mjs`],
};

/** How many pets each process adds that is not killed, and after how many the others are. */
const PETS = 500, BEFORE_KILL = 100;

/** Starts a process that adds pets, with what it has acknowledged: the ids by the numbers of its pets. */
async function startCreator(runtime: string, path: string, count: number) {
  const [program, ...args] = RUNTIMES[runtime]!;
  const acknowledged = new Map<string, number>();
  const enough = Promise.withResolvers<void>();
  const child = new Child(program, [
    ...args,
    join(ROOT, "packages/edge/tests/kv/creator.ts"),
    path,
    runtime,
    String(count),
  ], {
    cwd: ROOT,
    onLine(line) {
      const [number = "", id] = line.split("=");
      if (id !== undefined) acknowledged.set(`${runtime} ${number}`, Number(id));
      if (acknowledged.size === BEFORE_KILL) enough.resolve();
    },
  });
  await child.printed(/^ready$/m);
  return { child, acknowledged, enough: Promise.race([enough.promise, child.ended]) };
}

for (const killed of Object.keys(RUNTIMES)) {
  test.withFolder(`a reader misses no pet of processes that share a file; SIGKILL on ${killed} loses and doubles nothing`, async (folder) => {
    const path = join(folder, "kv");
    const kv = await openTestKv(path);
    const store = createKvStore(kv);
    // The first commit makes the tables.
    await store.check();
    const creators = await Promise.all(
      Object.keys(RUNTIMES).map((runtime) => startCreator(runtime, path, runtime === killed ? Infinity : PETS)),
    );
    const ended = Promise.all(creators.map(async ({ child, enough, acknowledged }, i) => {
      if (Object.keys(RUNTIMES)[i] !== killed) return assert.equal(await child.exit(), 0, child.written.stderr);
      await enough;
      child.kill("SIGKILL");
      await child.ended;
      assert.ok(acknowledged.size >= BEFORE_KILL, child.written.stderr);
    }));
    let isOver = false;
    ended.finally(() => isOver = true).catch(() => {});
    const seen: StoredPet[] = [];
    for (let wasOver = false; !wasOver;) {
      wasOver = isOver;
      seen.push(...await petsAfter(store, seen.at(-1)?.id));
    }
    await ended;
    assert.deepEqual(seen.map(({ id }) => id), seen.map((_, i) => i + 1));
    assert.deepEqual(await petsAfter(store, 0, "sold"), seen);
    const stored = new Map(seen.map(({ name, id }) => [name, id]));
    assert.equal(stored.size, seen.length, "a pet is doubled");
    for (const { acknowledged } of creators) {
      for (const [name, id] of acknowledged) assert.equal(stored.get(name), id, name);
    }
    // The creates of the killed process are repeated, whether it knew their outcome or not.
    for (let number = 0, isNew = false; !isNew; number++) {
      const name = `${killed} ${number}`, id = stored.get(name);
      const outcome = await store.createOnce!({ name, categoryId: 7n, status: "sold" }, request(name));
      isNew = outcome.outcome === "created";
      if (id !== undefined) assert.deepEqual(outcome, { outcome: "replayed", id: BigInt(id) });
      else assert.ok(isNew, `${name} is remembered, and not there`);
    }
    await store.close();
    kv.close();
  });
}
