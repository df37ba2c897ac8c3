import { Client, type Outcome } from "../../../tests/support/http/client.ts";
import type { Create, Journal } from "./journal.ts";
import { drawPet } from "./pets.ts";
import { createOnDemand, createRequest } from "./requests.ts";
import type { Random } from "../../../tests/support/random.ts";

export interface WorkerPool {
  /** The servers' ports; clients are spread over them. */
  ports: readonly number[];
  journal: Journal;
  random: Random;
  clients: number;
  /** Called after every try that did not end in 201; returns whether the client goes on. */
  onFailure(outcome: Outcome, body: string): boolean;
}

/** One of so many creates loses its response, and one of so many is slow: slow clients make no full load. */
const FORGETFUL = 12, SLOW = 48;

/** Clients create pets until each has to stop. `tag` tells these pets from those of other loads. */
export async function createOnAndOn(pool: WorkerPool, tag: string): Promise<void> {
  const { journal } = pool;
  await Promise.all(
    openClients(pool).map(async (client, number) => {
      using _ = client;
      const random = pool.random.fork();
      let last = 0n;
      for (let i = 1;; i++) {
        const create = journal.intend(drawPet(random, `${tag}.${number}.${i}`));
        if (!await createOne(client, create, pool, random)) return;
        // A client's ids ascend.
        if (create.id !== undefined && create.id <= last) {
          journal.report("unordered", `${create.id} came after ${last}`);
        }
        last = create.id ?? last;
      }
    }),
  );
}

/** Clients retry creates whose responses are missing, or seem to be. */
export async function createAgain(pool: WorkerPool, creates: readonly Create[]): Promise<void> {
  const queue = [...creates];
  await Promise.all(
    openClients(pool).map(async (client) => {
      using _ = client;
      for (let create = queue.pop(); create; create = queue.pop()) {
        if (!await tryOnce(client, create, pool)) return;
      }
    }),
  );
}

function openClients({ ports, clients }: WorkerPool): Client[] {
  return Array.from({ length: clients }, (_, i) => new Client(ports[i % ports.length] ?? 0));
}

/** Tries a create, sometimes like a slow, impatient or forgetful client. */
async function createOne(client: Client, create: Create, pool: WorkerPool, random: Random): Promise<boolean> {
  if (random.oneIn(FORGETFUL)) {
    create.isUncertain = true;
    await client.abandon(createRequest(create.pet));
  }
  if (!await tryOnce(client, create, pool, random.oneIn(SLOW))) return false;
  const isForgetful = create.isAcknowledged && random.oneIn(FORGETFUL);
  return !isForgetful || await tryOnce(client, create, pool);
}

/** Sends a create and records the response; returns whether the client may go on. */
async function tryOnce(client: Client, create: Create, pool: WorkerPool, isSlow = false): Promise<boolean> {
  const { pet } = create;
  const outcome = isSlow ? await client.send(...createOnDemand(pet)) : await client.send(createRequest(pet));
  if (outcome.kind !== "answered" || outcome.response.status !== 201) return pool.onFailure(outcome, pet.body);
  pool.journal.take(create, outcome.response);
  return true;
}
