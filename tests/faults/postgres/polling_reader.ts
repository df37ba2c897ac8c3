/** Readers that follow the catalogue from their last cursor, while several servers create. */

import type { PetDraft, PetStore } from "../../../mod.ts";

export interface Reading {
  /** Ids that a reader passed before it could see them. */
  missed: bigint[];
  created: number;
}

/** Each store creates while readers poll from their last id. Each has its own pool, as on a server of its own. */
export async function readWhileCreating(
  { stores, readers, rounds, crowd }: { stores: PetStore[]; readers: PetStore[]; rounds: number; crowd: number },
): Promise<Reading> {
  const created: bigint[] = [];
  let isDone = false;
  const reading = readers.map(async (reader) => {
    const seen: bigint[] = [];
    const read = async () => {
      const ids = idsOf((await reader.list({ after: seen.at(-1) ?? 0n, limit: 100 })).json);
      seen.push(...ids);
      return ids.length;
    };
    while (!isDone) await read();
    while (await read() > 0);
    return seen;
  });
  await Promise.all(stores.map(async (store, i) => {
    for (let round = 0; round < rounds; round++) {
      // Crowds and single pets alternate: a short statement overtakes a long one with lower ids.
      const count = (round + i) % 2 === 0 ? crowd : 1;
      const ids = await Promise.all(Array.from({ length: count }, (_, n) => store.create(draft(`${i}.${round}.${n}`))));
      created.push(...ids);
    }
  }));
  isDone = true;
  const seen = await Promise.all(reading);
  if (new Set(created).size !== created.length) throw new Error("An id was given twice");
  const missed = seen.flatMap((ids) => {
    const known = new Set(ids);
    if (known.size !== ids.length) throw new Error("A reader saw a pet twice");
    return created.filter((id) => !known.has(id));
  });
  return { missed, created: created.length };
}

function draft(name: string): PetDraft {
  return { name, categoryId: 7n, status: "available" };
}

function idsOf(json: string): bigint[] {
  return (JSON.parse(json) as { id: number }[]).map(({ id }) => BigInt(id));
}
