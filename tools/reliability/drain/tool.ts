/** SIGTERM under full load, an audit of the store, retries, another audit. */

import { auditAll, auditEnd } from "../shared/audit.ts";
import { Client, endsConnection, type Outcome } from "../../../tests/support/http/client.ts";
import type { SeenResponse } from "../../../tests/support/openapi_validator.ts";
import { createAgain, createOnAndOn, type WorkerPool } from "../shared/creating.ts";
import type { Journal } from "../shared/journal.ts";
import { parsePets } from "../shared/pets.ts";
import { get } from "../../../tests/support/http/requests.ts";
import { defineRounds, end, type Figures, type Stage } from "../shared/rounds.ts";

const ABOUT =
  `Clients create and read, SIGTERM comes at a random moment: no response may be cut. No busy client may be left without one,
nor an idle one that begins a request right then. The exit status must be 0, and after a restart all that was acknowledged
must be there, and nothing else.`;

export const DRAIN = defineRounds(ABOUT, runDrainRound);

/** How requests ended, and those that were answered by a server that stops. */
type Counts = Record<"reads" | "turnedAway" | Exclude<Outcome["kind"], "answered">, number>;

/** Creators for each reader: a long response is cut more easily than a short one. */
const CREATORS_PER_READER = 4;

/** A client that pauses for less, in milliseconds, is busy. A server waits some times as long for it, also on a busy machine. */
const BUSY = 50;

/** Idle connections to each server. */
const IDLE = 8;

export async function runDrainRound(stage: Stage): Promise<Figures> {
  const { installation, journal, random, tag, clients, within } = stage;
  const before = journal.acknowledged;
  const counts: Counts = { reads: 0, turnedAway: 0, refused: 0, unsent: 0, unanswered: 0, cut: 0 };
  const onFailure: WorkerPool["onFailure"] = (outcome, body) => countFailure(outcome, body, counts, journal);
  const pool = (): WorkerPool => ({ ...stage, ports: installation.ports, onFailure });
  const begun = journal.nextAcknowledged();
  const readers = Array.from({ length: Math.ceil(clients / CREATORS_PER_READER) }, (_, i) => i);
  const loaded = Promise.all([
    createOnAndOn(pool(), tag),
    ...readers.map((i) => readOnAndOn(installation.ports[i % installation.ports.length] ?? 0, counts, journal)),
  ]);
  await Promise.race([begun, loaded]);
  const idle = await Promise.all(
    installation.ports.flatMap((port) => Array.from({ length: IDLE }, () => useOnce(port))),
  );
  await new Promise((resolve) => setTimeout(resolve, random.below(within)));
  const toldAt = performance.now();
  const woken = idle.map((client) => wake(client, random.below(BUSY / 2), { toldAt, counts, journal }));
  await end(installation, journal);
  const duration = Math.round(performance.now() - toldAt);
  await Promise.all([...woken, loaded]);
  await installation.start();
  await auditDrained(stage);
  const retries = journal.unanswered();
  await createAgain(pool(), retries);
  await auditEnd(installation.ports, journal, random);
  const acknowledged = journal.acknowledged - before;
  return { ...counts, "longest end in ms": duration, acknowledged, retries: retries.length };
}

/** The server must have acknowledged all that it stored, except to clients that did not wait. */
async function auditDrained({ installation, journal }: Stage): Promise<void> {
  const unanswered = journal.unanswered().filter(({ isUncertain }) => !isUncertain);
  for (const port of installation.ports) await auditAll(port, journal);
  for (const { id, pet } of unanswered) {
    if (id !== undefined) journal.report("unanswered", `Pet ${id} ${pet.body} was stored, and its client was not told`);
  }
}

async function useOnce(port: number): Promise<Client> {
  const client = new Client(port);
  await client.send(get("/livez"));
  return client;
}

/** Lets an idle client send a request shortly after the signal: it must get a response. */
async function wake(
  client: Client,
  delay: number,
  { toldAt, counts, journal }: { toldAt: number; counts: Counts; journal: Journal },
): Promise<void> {
  using _ = client;
  await new Promise((resolve) => setTimeout(resolve, delay));
  const late = performance.now() - toldAt;
  const outcome = await client.send(get("/v1/pets?limit=1"));
  if (outcome.kind === "answered" && outcome.response.status === 200) counts.reads++;
  else countFailure(outcome, "a request of an idle client", counts, journal);
  // A client that this machine delayed proves nothing.
  if (outcome.kind === "answered" || late >= BUSY) return;
  journal.report("dropped", `An idle client that asked ${Math.round(late)} ms after the signal: ${outcome.kind}`);
}

async function readOnAndOn(port: number, counts: Counts, journal: Journal): Promise<void> {
  using client = new Client(port);
  for (let i = 1;; i++) {
    const outcome = await client.send(get("/v1/pets?limit=100"));
    if (outcome.kind === "answered" && outcome.response.status === 200) {
      counts.reads++;
      if (!Array.isArray(parsePets(outcome.response.text))) {
        journal.report("response", `No list: ${outcome.response.text}`);
      }
    } else if (!countFailure(outcome, `read ${i}`, counts, journal)) {
      return;
    }
  }
}

/** Counts an unusual outcome. Returns whether the client may go on, which ends when no server listens. */
function countFailure(outcome: Outcome, asked: string, counts: Counts, journal: Journal): boolean {
  if (outcome.kind === "answered") {
    const { status, text } = outcome.response;
    if (isTurnedAway(outcome.response)) counts.turnedAway++;
    else journal.report("response", `A server that was about to end answered ${status} ${text} to ${asked}`);
    return true;
  }
  counts[outcome.kind]++;
  if (outcome.kind === "unanswered" && outcome.sinceLast < BUSY) {
    journal.report("dropped", `${asked}, sent ${outcome.sinceLast} ms after the request before`);
  }
  if (outcome.kind === "cut") journal.report("cut", `All that came for ${asked}: ${JSON.stringify(outcome.received)}`);
  return outcome.kind !== "refused";
}

/** Whether a response says all that a client needs: not now, again soon, on another connection. */
function isTurnedAway(response: SeenResponse): boolean {
  const { status, headers, text } = response;
  return status === 503 && headers.has("retry-after") && endsConnection(response) &&
    text.includes('"store_unavailable"');
}
