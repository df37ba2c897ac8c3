/** The load of the soak. */

import { Client, type Outcome } from "../../../tests/support/http/client.ts";
import { drawPet } from "../shared/pets.ts";
import { post } from "../../../tests/support/http/requests.ts";
import { createRequest } from "../shared/requests.ts";
import { Random } from "../../../tests/support/random.ts";
import { drawRequest, type SoakRequest, STATUSES } from "./requests.ts";

export interface LoadSettings {
  port: number;
  clients: number;
  seconds: number;
  seed: number;
}

export interface LoadFigures {
  requests: number;
  creates: number;
  unexpected: number;
  example: string;
}

/** Requests before a client leaves, on average; another takes its place. */
const STAY = 2_000;

/** Counts into `figures`, which the caller may read meanwhile. */
export async function load({ port, clients, seconds, seed }: LoadSettings, figures: LoadFigures): Promise<void> {
  const random = new Random(seed);
  await createFirst(port);
  const end = performance.now() + seconds * 1000;
  await Promise.all(Array.from({ length: clients }, async (_, number) => {
    const own = random.fork();
    while (performance.now() < end) await stay(port, own, `s${number}.${figures.requests}`, figures, end);
  }));
}

/** A pet of each status, so that no list is empty. */
async function createFirst(port: number): Promise<void> {
  using client = new Client(port);
  for (const status of STATUSES) {
    await client.send(post(`{"name":"first","categoryId":1,"status":"${status}"}`));
  }
}

/** One client, on one connection as long as the server keeps it. */
async function stay(port: number, random: Random, tag: string, figures: LoadFigures, end: number): Promise<void> {
  using client = new Client(port);
  for (let i = 0; performance.now() < end; i++) {
    const request = drawRequest(random, `${tag}.${i}`);
    const outcome = await client.send(request.request, request.body);
    figures.requests++;
    if (!isExpected(request, outcome)) {
      figures.unexpected++;
      figures.example ||= `${request.request.slice(0, 300)} → ${JSON.stringify(outcome).slice(0, 300)}`;
    } else if (request.statuses.includes(201)) figures.creates++;
    if (!random.oneIn(STAY)) continue;
    // Some leave without waiting for their response.
    if (random.oneIn(2)) await client.abandon(createRequest(drawPet(random, `${tag}.last`)));
    return;
  }
}

function isExpected({ statuses, text }: SoakRequest, outcome: Outcome): boolean {
  if (outcome.kind !== "answered") return false;
  const { response } = outcome;
  return statuses.includes(response.status) && (text === undefined || response.text.includes(text));
}
