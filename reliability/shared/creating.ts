/** Clients that create: on and on, or once more what they got no answer to. */

import { Client, createRequest } from "./client.ts";
import type { Outcome } from "./connection.ts";
import type { Create, Ledger } from "./ledger.ts";
import { drawPet } from "./pets.ts";
import type { Random } from "./random.ts";

/** Clients at work together. */
export interface Crew {
  /** Where the servers listen; the clients are spread over them. */
  ports: readonly number[];
  ledger: Ledger;
  random: Random;
  /** How many clients there are. */
  clients: number;
  /** Whether the servers know the header `Idempotency-Key`. Without, to retry what may have been stored is a mistake. */
  idempotency: boolean;
  /** Told of every try that did not end in 201; answers whether that client goes on. */
  onFailure(outcome: Outcome): boolean;
}

/** A client loses an answer in one of so many cases, and is slow in one of so many: slow clients make no full load. */
const FORGETFUL = 12, SLOW = 48;

/** Lets clients create new pets until each has to stop. `tag` makes these pets unlike those of other loads. */
export async function createOnAndOn(crew: Crew, tag: string): Promise<void> {
  const { ledger } = crew;
  await Promise.all(
    openClients(crew).map(async (client, number) => {
      using _ = client;
      const random = crew.random.fork();
      let last = 0n;
      for (let i = 1;; i++) {
        const create = ledger.intend(drawPet(random, `${tag}.${number}.${i}`));
        if (!await createOne(client, create, crew, random)) return;
        // What a client is given comes after all that it was given before.
        if (create.id !== undefined && create.id <= last) ledger.report("unordered", `${create.id} came after ${last}`);
        last = create.id ?? last;
      }
    }),
  );
}

/** Lets clients ask again for creates whose answers are missing, or for which they pretend to have none. */
export async function createAgain(crew: Crew, creates: readonly Create[]): Promise<void> {
  const queue = [...creates];
  await Promise.all(
    openClients(crew).map(async (client) => {
      using _ = client;
      for (let create = queue.pop(); create; create = queue.pop()) {
        if (!await tryOnce(client, create, crew, [createRequest(create.pet).join("")])) return;
      }
    }),
  );
}

function openClients({ ports, clients }: Crew): Client[] {
  return Array.from({ length: clients }, (_, i) => new Client(ports[i % ports.length] ?? 0));
}

/** Tries a create, now and then in the manner of clients that are slow, impatient or forgetful. */
async function createOne(client: Client, create: Create, crew: Crew, random: Random): Promise<boolean> {
  const [head, body] = createRequest(create.pet);
  if (crew.idempotency && random.oneIn(FORGETFUL)) {
    create.isUncertain = true;
    await client.abandon(head + body);
  }
  const pieces = random.oneIn(SLOW) ? [head, body] : [head + body];
  if (!await tryOnce(client, create, crew, pieces)) return false;
  const isForgetful = crew.idempotency && create.isAcknowledged && random.oneIn(FORGETFUL);
  return !isForgetful || await tryOnce(client, create, crew, [head + body]);
}

/** Sends a create and takes the answer down; answers whether the client may go on. */
async function tryOnce(client: Client, create: Create, crew: Crew, pieces: string[]): Promise<boolean> {
  const outcome = await client.send(...pieces);
  if (outcome.kind !== "answered" || outcome.answer.status !== 201) return crew.onFailure(outcome);
  crew.ledger.take(create, outcome.answer);
  return true;
}
