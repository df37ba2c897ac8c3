import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { withTempFolder } from "../../support/temp.ts";
import { allPets, pageAfter, startCreator, type StoredPet, withFile } from "./support.ts";

for (const runtimes of [["Deno", "Deno"], ["Node", "Node"], ["Deno", "Node", "Deno", "Node"]]) {
  test(`a reader that follows the ids misses no pet that ${runtimes.join(", ")} add to one file at once`, () =>
    withTempFolder((folder) =>
      withFile(join(folder, "kv"), async (store) => {
        // The first commit makes the tables.
        await store.check();
        const acknowledged: number[] = [];
        const creators = await Promise.all(runtimes.map((runtime, i) =>
          startCreator({
            ...{ runtime, path: join(folder, "kv"), name: `${runtime} ${i}`, rounds: 120, crowd: 5 },
            onLine: (line) => line === "ready" || acknowledged.push(...line.split(" ").map(Number)),
          })
        ));
        const ended = Promise.all(creators.map((creator) => creator.exit()));
        let isDone = false;
        ended.then(() => isDone = true, () => isDone = true);
        const seen: StoredPet[] = [];
        let pages = 0;
        for (let wasDone = false; !wasDone; pages++) {
          wasDone = isDone;
          let page: StoredPet[];
          do {
            page = await pageAfter(store, seen.at(-1)?.id ?? 0);
            seen.push(...page);
          } while (page.length === 100);
        }
        assert.deepEqual(await ended, runtimes.map(() => 0), creators.map(({ written }) => written.stderr).join("\n"));
        const count = runtimes.length * 600;
        assert.deepEqual(seen.map(({ id }) => id), Array.from({ length: count }, (_, i) => i + 1));
        assert.deepEqual(acknowledged.toSorted((a, b) => a - b), seen.map(({ id }) => id));
        assert.equal(new Set(seen.map(({ name }) => name)).size, count);
        assert.deepEqual(await allPets(store, "sold"), seen);
        assert.ok(pages > 20, `only ${pages} pages were read meanwhile`);
      })
    ));
}
