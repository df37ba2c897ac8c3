/**
 * `deno task bench stores`: a petstore on each store that runs on this machine, beside one in memory, all in one process. The stores
 * take turns in every round, so that they share what else the machine does.
 */

import { join } from "node:path";
import { createKvStore } from "../lib/stores/kv/kv_store.ts";
import { createPostgresStore } from "../lib/stores/postgres/postgres_store.ts";
import { createSqliteStore } from "../lib/stores/sqlite/sqlite_store.ts";
import { createMemoryStore, createPetstore } from "../mod.ts";
import type { PetStore } from "../lib/stores/store.ts";
import { parseFlags, readCount, runTool } from "../tools/command_line.ts";
import { startCluster, whyNoCluster } from "../tests/support/postgres/cluster.ts";
import { DRIVERS } from "../tests/support/postgres/postgres.ts";
import { inRounds } from "./rounds.ts";
import { ratioOf, spreadOf } from "./row.ts";

const HELP = `deno task bench stores [options]

  --rounds N    measured rounds, by default 7
  --help        this text
`;

const PETS = 10_000, CLIENTS = 64;
/** How long one store is measured in a round, in milliseconds. */
const TURN = 400;

const AUTHORIZED = { authorization: "Bearer k" };
const NEW_PET: RequestInit = {
  method: "POST",
  headers: { ...AUTHORIZED, "content-type": "application/json" },
  body: '{"name":"Luna","categoryId":9007199254740993}',
};

/** Different requests, so that few responses are kept ones. */
const OPERATIONS: Record<string, () => Request> = {
  "create": () => new Request("http://localhost/v1/pets", NEW_PET),
  "create with Idempotency-Key": () => {
    const headers = { ...NEW_PET.headers as Record<string, string>, "idempotency-key": crypto.randomUUID() };
    return new Request("http://localhost/v1/pets", { ...NEW_PET, headers });
  },
  "get": () => new Request(`http://localhost/v1/pets/${anyId()}`, { headers: AUTHORIZED }),
  "list 20": () => {
    const cursor = btoa(`after:${anyId()}`).replaceAll("=", "");
    return new Request(`http://localhost/v1/pets?cursor=${cursor}`, { headers: AUTHORIZED });
  },
};

function anyId(): number {
  return 1 + Math.trunc(Math.random() * (PETS - 20));
}

type Handle = (request: Request) => Promise<Response>;

async function openStores(folder: string): Promise<Record<string, PetStore>> {
  const stores: Record<string, PetStore> = {
    memory: createMemoryStore(),
    SQLite: createSqliteStore(join(folder, "pets.db")),
    "Deno KV": createKvStore(await Deno.openKv(join(folder, "kv"))),
  };
  const reason = whyNoCluster();
  if (reason) {
    console.error(`bench: PostgreSQL is left out: ${reason}`);
    return stores;
  }
  const cluster = await startCluster([]);
  const url = `postgres://postgres@127.0.0.1:${cluster.port}/postgres`;
  stores["PostgreSQL"] = await createPostgresStore(() => DRIVERS[1]!.connect(url));
  return stores;
}

/** Requests a second. */
async function measure(handle: Handle, request: () => Request, milliseconds: number): Promise<number> {
  const begin = performance.now();
  let count = 0;
  const client = async () => {
    while (performance.now() - begin < milliseconds) {
      const response = await handle(request());
      if (!response.ok) throw new Error(await response.text());
      await response.text();
      count++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return count / (performance.now() - begin) * 1000;
}

await runTool("bench-stores", async (folder) => {
  const rounds = readCount("rounds", parseFlags(Deno.args, HELP, { rounds: { type: "string" } }).rounds, 7);
  const stores = Object.entries(await openStores(folder));
  const handles = stores.map((
    [name, store],
  ): [string, Handle] => [name, createPetstore({ store, keys: ["k"] }).handle]);
  for (const [, store] of stores) {
    const drafts = Array.from(
      { length: PETS },
      (_, i) => ({ name: "Luna", categoryId: BigInt(i), status: "sold" as const }),
    );
    for (let i = 0; i < PETS; i += 1000) await Promise.all(drafts.slice(i, i + 1000).map((each) => store.create(each)));
  }
  for (const [operation, request] of Object.entries(OPERATIONS)) {
    const turns = Object.fromEntries(handles.map(([name, handle]) => [name, () => measure(handle, request, TURN)]));
    const { memory = [], ...others } = await inRounds(turns, rounds);
    const shown = Object.entries(others).map(([name, rates]) => {
      const { low, median, high } = ratioOf(rates, memory);
      return `${name} ${[low, median, high].map((ratio) => ratio.toPrecision(2)).join("/")}`;
    });
    shown.unshift(`memory ${Math.round(spreadOf(memory).median)} a second`);
    console.log(`${operation.padEnd(28)} ${shown.join("   ")}`);
  }
  for (const [, store] of stores) await store.close();
  return [];
});
