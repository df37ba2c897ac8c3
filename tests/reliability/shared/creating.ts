/** Clients that create: on and on, or once more what they got no answer to. */

import { Client, type Outcome } from "../../support/http/client.ts";
import type { Create, Journal } from "./journal.ts";
import { drawPet } from "./pets.ts";
import { createOnDemand, createRequest } from "./requests.ts";
import type { Random } from "../../support/random.ts";

/** Clients at work together. */
export interface Crew {
  /** Where the servers listen; the clients are spread over them. */
  ports: readonly number[];
  journal: Journal;
  random: Random;
  /** How many clients there are. */
  clients: number;
  /** Told of every try of a body that did not end in 201; answers whether that client goes on. */
  onFailure(outcome: Outcome, body: string): boolean;
}

/** A client loses an answer in one of so many cases, and is slow in one of so many: slow clients make no full load. */
const FORGETFUL = 12, SLOW = 48;

/** Lets clients create new pets until each has to stop. `tag` makes these pets unlike those of other loads. */
export async function createOnAndOn(crew: Crew, tag: string): Promise<void> {
  const { journal } = crew;
  await Promise.all(
    openClients(crew).map(async (client, number) => {
      using _ = client;
      const random = crew.random.fork();
      let last = 0n;
      for (let i = 1;; i++) {
        const create = journal.intend(drawPet(random, `${tag}.${number}.${i}`));
        if (!await createOne(client, create, crew, random)) return;
        // What a client is given comes after all that it was given before.
        if (create.id !== undefined && create.id <= last) {
          journal.report("unordered", `${create.id} came after ${last}`);
        }
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
        if (!await tryOnce(client, create, crew)) return;
      }
    }),
  );
}

function openClients({ ports, clients }: Crew): Client[] {
  return Array.from({ length: clients }, (_, i) => new Client(ports[i % ports.length] ?? 0));
}

/** Tries a create, now and then in the manner of clients that are slow, impatient or forgetful. */
async function createOne(client: Client, create: Create, crew: Crew, random: Random): Promise<boolean> {
  if (random.oneIn(FORGETFUL)) {
    create.isUncertain = true;
    await client.abandon(createRequest(create.pet));
  }
  if (!await tryOnce(client, create, crew, random.oneIn(SLOW))) return false;
  const isForgetful = create.isAcknowledged && random.oneIn(FORGETFUL);
  return !isForgetful || await tryOnce(client, create, crew);
}

/** Sends a create and takes the answer down; answers whether the client may go on. */
async function tryOnce(client: Client, create: Create, crew: Crew, isSlow = false): Promise<boolean> {
  const { pet } = create;
  const outcome = isSlow ? await client.send(...createOnDemand(pet)) : await client.send(createRequest(pet));
  if (outcome.kind !== "answered" || outcome.answer.status !== 201) return crew.onFailure(outcome, pet.body);
  crew.journal.take(create, outcome.answer);
  return true;
}
