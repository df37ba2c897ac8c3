/** Ids ascend in the order in which pets become visible, whatever commits take longest. */

import assert from "node:assert/strict";
import type { PetStore } from "@petstore/petstore/store";
import { walk } from "../../../conformance/lib/store/case.ts";
import { runSql } from "../../../../tests/support/postgres/postgres.ts";
import { PET, test, unevenSchema, usingStore } from "../support.ts";

/** Crowds and single pets alternate: a short statement overtakes a long one with lower ids. */
async function createCrowds(store: PetStore, number: number): Promise<void> {
  for (let round = 0; round < 24; round++) {
    const count = (round + number) % 2 === 0 ? 150 : 1;
    await Promise.all(Array.from({ length: count }, () => store.create(PET)));
  }
}

/** Reads the pets after the last one that was seen, again and again, until `isDone` and once more. */
async function follow(reader: PetStore, isDone: () => boolean): Promise<string[]> {
  const seen: string[] = [];
  for (let isLast = false; !isLast;) {
    isLast = isDone();
    const after = BigInt(/\d+/.exec(seen.at(-1) ?? "")?.[0] ?? 0);
    const { json } = await reader.list({ after, limit: 5_000 });
    seen.push(...json.match(/{[^}]*}/g) ?? []);
  }
  return seen;
}

test.store(
  "a reader that follows the ids misses no pet that four servers create at once, and more servers may start meanwhile",
  async (reader, url, schema) => {
    await runSql(url, unevenSchema(schema));
    let isEnd = false;
    const following = follow(reader, () => isEnd);
    const creators = [0, 1, 2, 3].map((i) => usingStore(url, schema, (store) => createCrowds(store, i)));
    const creating = Promise.all(creators).finally(() => isEnd = true);
    // A start fails if it finds the sequence behind the table.
    while (!isEnd) await usingStore(url, schema, () => Promise.resolve());
    await creating;
    const seen = await following;
    assert.equal(seen.length, 4 * 12 * 151);
    assert.deepEqual(seen, await walk(reader, { limit: 5_000 }));
  },
);
