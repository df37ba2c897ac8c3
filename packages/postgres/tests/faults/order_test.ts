import assert from "node:assert/strict";
import { createPostgresStore, postgresSchema } from "../../mod.ts";
import type { PetStore } from "@petstore/petstore/store";
import { connect, runSql, whyNoPostgres, withPool, withSchema } from "../../../../tests/support/postgres/postgres.ts";
import { PET } from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoPostgres());

/** Opens stores, each with a pool of its own. */
async function withStores<T>(url: string, schema: string, count: number, use: (stores: PetStore[]) => Promise<T>) {
  await using opened = new AsyncDisposableStack();
  const stores: PetStore[] = [];
  for (let i = 0; i < count; i++) {
    const pool = connect(url);
    opened.defer(() => pool.end());
    stores.push(opened.use(await createPostgresStore(pool, { schema })));
  }
  return await use(stores);
}

/**
 * Four stores create while two readers poll from their last id. Each has its own pool, as on a server of its own. The readers have
 * `missed` the ids that they passed before they could see them.
 */
function readOn(url: string, schema: string) {
  return withStores(url, schema, 6, async ([first, second, ...stores]) => {
    let isDone = false;
    const reading = [first!, second!].map((reader) => pollOn(reader, () => isDone));
    const created = (await Promise.all(stores.map(createCrowds)).finally(() => isDone = true)).flat();
    assert.equal(new Set(created).size, created.length, "An id was given twice");
    const seen = await Promise.all(reading);
    return { created: created.length, missed: seen.flatMap((known) => created.filter((id) => !known.has(id))) };
  });
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

test("two readers that follow the ids miss no pet that four servers create at once", () =>
  withSchema(async (url, schema) => {
    await runSql(url, unevenSchema(schema));
    const { missed, created } = await readOn(url, schema);
    assert.deepEqual(missed, []);
    assert.equal(created, 4 * 12 * 151);
  }));

test("servers that start while others create do not report the sequence as behind", () =>
  withSchema((url, schema) =>
    withStores(url, schema, 4, async (stores) => {
      let isDone = false;
      const creating = stores.map(async (store) => {
        while (!isDone) await Promise.all(Array.from({ length: 20 }, () => store.create(PET)));
      });
      try {
        await withPool(url, async (client) => {
          for (let i = 0; i < 50; i++) await (await createPostgresStore(client, { schema })).close();
        });
      } finally {
        isDone = true;
        await Promise.all(creating);
      }
    })
  ));
