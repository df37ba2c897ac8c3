import assert from "node:assert/strict";
import { createPostgresStore, postgresSchema } from "../../mod.ts";
import type { PetStore } from "@petstore/petstore/store";
import { connect, runSql } from "../../../../tests/support/postgres/postgres.ts";
import { PET, test } from "../support.ts";

/** Opens stores, each with a pool of its own, as on a server of its own. */
async function withStores<T>(url: string, schema: string, count: number, use: (stores: PetStore[]) => Promise<T>) {
  await using opened = new AsyncDisposableStack();
  const stores: PetStore[] = [];
  for (let i = 0; i < count; i++) {
    const pool = opened.adopt(connect(url), (pool) => pool.end());
    stores.push(opened.use(await createPostgresStore(pool, { schema })));
  }
  return await use(stores);
}

/** Crowds and single pets alternate: a short statement overtakes a long one with lower ids. */
async function createCrowds(store: PetStore, number: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (let round = 0; round < 24; round++) {
    const count = (round + number) % 2 === 0 ? 150 : 1;
    ids.push(...await Promise.all(Array.from({ length: count }, () => store.create(PET))));
  }
  return ids;
}

async function pollOn(reader: PetStore, isDone: () => boolean): Promise<Set<bigint>> {
  const seen = new Set<bigint>();
  let after = 0n;
  for (let isLast = false; !isLast;) {
    isLast = isDone();
    for (let count = 100; count === 100;) {
      const pets = JSON.parse((await reader.list({ after, limit: 100 })).json) as { id: number }[];
      for (const { id } of pets) seen.add(after = BigInt(id));
      count = pets.length;
    }
  }
  return seen;
}

/** The tables, with commits of uneven length, as with several busy disks and networks. */
function unevenSchema(schema: string): string {
  const end = "RETURN array_to_string", parts = postgresSchema(schema).split(end);
  assert.equal(parts.length, 2);
  return parts.join(`PERFORM pg_sleep(random() * 0.004); ${end}`);
}

/** Servers start, one after the other. They fail if they find the sequence behind the table. */
async function startOn(url: string, schema: string, isDone: () => boolean): Promise<void> {
  while (!isDone()) await withStores(url, schema, 1, () => Promise.resolve());
}

test.schema(
  "two readers that follow the ids miss no pet that four servers create at once, and more servers may start meanwhile",
  async (url, schema) => {
    await runSql(url, unevenSchema(schema));
    await withStores(url, schema, 6, async ([first, second, ...stores]) => {
      let isEnd = false;
      const isDone = () => isEnd;
      const reading = [pollOn(first!, isDone), pollOn(second!, isDone)], starting = startOn(url, schema, isDone);
      const created = (await Promise.all(stores.map(createCrowds)).finally(() => isEnd = true)).flat();
      assert.equal(new Set(created).size, 4 * 12 * 151);
      for (const seen of await Promise.all(reading)) assert.deepEqual(created.filter((id) => !seen.has(id)), []);
      await starting;
    });
  },
);
