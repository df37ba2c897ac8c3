import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { withTempFolder } from "../../support/temp.ts";
import { allPets, RUNTIMES, startCreator, withFile } from "./support.ts";

/** The most keys of one run, after which the process would end by itself. */
const ROUNDS = 1_000_000;

for (const runtime of Object.keys(RUNTIMES)) {
  test(`what a process on ${runtime} has acknowledged outlives SIGKILL, nothing is doubled, and repeats are recognized`, () =>
    withTempFolder(async (folder) => {
      const path = join(folder, "kv");
      const acknowledged = new Map<string, string>();
      for (let run = 0; run < 8; run++) {
        let lines = 0;
        const enough = Promise.withResolvers<void>();
        await using child = await startCreator({
          ...{ runtime, path, name: `run ${run}`, rounds: ROUNDS, crowd: 7, keys: true },
          onLine(line) {
            if (line === "ready") return;
            for (const pair of line.split(" ")) {
              acknowledged.set(`run ${run} ${pair.split("=")[0]}`, pair.split("=")[1]!);
            }
            if (++lines === 10 + 3 * run) enough.resolve();
          },
        });
        await Promise.race([enough.promise, child.ended]);
        child.kill("SIGKILL");
        await child.ended;
        await audit(path, acknowledged, run);
      }
      assert.ok(acknowledged.size > 800, `${acknowledged.size} pets`);
    }));
}

async function audit(path: string, acknowledged: ReadonlyMap<string, string>, run: number): Promise<void> {
  await withFile(path, async (store) => {
    const pets = await allPets(store);
    const stored = new Map(pets.map(({ id, name }) => [name, String(id)]));
    assert.equal(stored.size, pets.length, "a pet is doubled");
    assert.deepEqual(pets.map(({ id }) => id), pets.map((_, i) => i + 1), "the ids have gaps");
    for (const [name, id] of acknowledged) assert.equal(stored.get(name), id, name);
    assert.deepEqual(await allPets(store, "sold"), pets);
    // All requests of the last round are repeated, whether it knew their outcome or not.
    for (let number = 0; number < 400; number++) {
      const name = `run ${run} ${number}`, key = `run ${run}-${number}`.padEnd(22, "k");
      const pet = { name, categoryId: BigInt(number), status: "sold" } as const;
      const id = stored.get(name);
      const outcome = await store.createOnce!(pet, { key, fingerprint: key, retentionMs: 600_000 });
      if (id === undefined) {
        assert.equal(outcome.outcome, "created");
        return;
      }
      assert.deepEqual(outcome, { outcome: "replayed", id: BigInt(id) });
    }
  });
}
