/** One round: SIGTERM under full load, an audit of what the ended server has kept, retries, another audit. */

import { auditAll, auditEnd } from "../shared/audit.ts";
import { Client, endsConnection, type Outcome } from "../../support/http/client.ts";
import type { SeenResponse } from "../../support/openapi_validator.ts";
import { createAgain, createOnAndOn, type Crew } from "../shared/creating.ts";
import type { Ledger } from "../shared/ledger.ts";
import { parsePets } from "../shared/pets.ts";
import { getRequest } from "../shared/requests.ts";
import type { RoundOptions } from "../shared/round_options.ts";
import { end, type Stage } from "../shared/rounds.ts";

/** What happened in a round: creates and reads, and how those ended that were not answered as usual. */
export interface DrainFigures {
  /** Milliseconds from the first acknowledgement to the signal. */
  moment: number;
  /** Milliseconds from the signal to the end of the process. */
  duration: number;
  acknowledged: number;
  reads: number;
  /** Answered with 503 and `Connection: close`. */
  turnedAway: number;
  refused: number;
  unsent: number;
  unanswered: number;
  cut: number;
  retries: number;
}

/** What is counted as it happens. */
type Counts = Pick<DrainFigures, "reads" | "turnedAway" | "refused" | "unsent" | "unanswered" | "cut">;

/** For so many creating clients there is one that reads: a long answer is cut more easily than a short one. */
const CREATORS_PER_READER = 4;

/** A client that lets less time pass between two requests, in milliseconds, is busy: a server waits longer for it. */
const BUSY = 200;

/** How many connections to each server are idle until it is told to end. */
const IDLE = 8;

/** Runs a round. */
export async function runDrainRound(stage: Stage, options: RoundOptions): Promise<DrainFigures> {
  const { installation, ledger, random, tag } = stage;
  const before = ledger.acknowledged;
  const counts = { reads: 0, turnedAway: 0, refused: 0, unsent: 0, unanswered: 0, cut: 0 };
  const moment = random.below(options.within);
  const onFailure: Crew["onFailure"] = (outcome, body) => countFailure(outcome, body, counts, ledger);
  const crew = (): Crew => ({ ...options, ports: installation.ports, ledger, random, onFailure });
  const begun = ledger.nextAcknowledged();
  const readers = Array.from({ length: Math.ceil(options.clients / CREATORS_PER_READER) }, (_, i) => i);
  const loaded = Promise.all([
    createOnAndOn(crew(), tag),
    ...readers.map((i) => readOnAndOn(installation.ports[i % installation.ports.length] ?? 0, counts, ledger)),
  ]);
  await Promise.race([begun, loaded]);
  const idle = await Promise.all(
    installation.ports.flatMap((port) => Array.from({ length: IDLE }, () => useOnce(port))),
  );
  await new Promise((resolve) => setTimeout(resolve, moment));
  const toldAt = performance.now();
  const woken = idle.map((client) => wake(client, random.below(BUSY / 2), { toldAt, counts, ledger }));
  await end(installation, ledger);
  const duration = Math.round(performance.now() - toldAt);
  await Promise.all(woken);
  await loaded;
  await installation.start();
  await auditDrained(stage);
  const retries = ledger.unanswered();
  await createAgain(crew(), retries);
  await auditEnd(installation.ports, ledger, random);
  return { ...counts, moment, duration, acknowledged: ledger.acknowledged - before, retries: retries.length };
}

/** What the server has stored, it must have acknowledged, except to clients who had not waited. */
async function auditDrained({ installation, ledger }: Stage): Promise<void> {
  const unanswered = ledger.unanswered().filter(({ isUncertain }) => !isUncertain);
  for (const port of installation.ports) await auditAll(port, ledger);
  for (const { id, pet } of unanswered) {
    if (id !== undefined) ledger.report("unanswered", `Pet ${id} ${pet.body} was stored, and its client was not told`);
  }
}

/** A client whose connection has been used, and is idle now. */
async function useOnce(port: number): Promise<Client> {
  const client = new Client(port);
  await client.send(getRequest("/livez"));
  return client;
}

/** Lets an idle client send a request some milliseconds after its server was told to end: it must get an answer. */
async function wake(
  client: Client,
  delay: number,
  { toldAt, counts, ledger }: { toldAt: number; counts: Counts; ledger: Ledger },
): Promise<void> {
  using _ = client;
  await new Promise((resolve) => setTimeout(resolve, delay));
  const late = performance.now() - toldAt;
  const outcome = await client.send(getRequest("/v1/pets?limit=1"));
  if (outcome.kind === "answered" && outcome.answer.status === 200) counts.reads++;
  else countFailure(outcome, "a request of an idle client", counts, ledger);
  // A client that this machine has not let run in time proves nothing.
  if (outcome.kind === "answered" || late >= BUSY) return;
  ledger.report("dropped", `An idle client that asked ${Math.round(late)} ms after the signal: ${outcome.kind}`);
}

/** Reads the longest lists there are until there is no server any more. */
async function readOnAndOn(port: number, counts: Counts, ledger: Ledger): Promise<void> {
  using client = new Client(port);
  for (let i = 1;; i++) {
    const outcome = await client.send(getRequest("/v1/pets?limit=100"));
    if (outcome.kind === "answered" && outcome.answer.status === 200) {
      counts.reads++;
      if (!Array.isArray(parsePets(outcome.answer.text))) ledger.report("answer", `No list: ${outcome.answer.text}`);
    } else if (!countFailure(outcome, `read ${i}`, counts, ledger)) {
      return;
    }
  }
}

/** Counts what is not the usual answer; answers whether the client may go on, which is until nobody listens any more. */
function countFailure(outcome: Outcome, asked: string, counts: Counts, ledger: Ledger): boolean {
  if (outcome.kind === "answered") {
    const { status, text } = outcome.answer;
    if (isTurnedAway(outcome.answer)) counts.turnedAway++;
    else ledger.report("answer", `A server that was about to end answered ${status} ${text} to ${asked}`);
    return true;
  }
  counts[outcome.kind]++;
  if (outcome.kind === "unanswered" && outcome.sinceLast < BUSY) {
    ledger.report("dropped", `${asked}, sent ${outcome.sinceLast} ms after the request before`);
  }
  if (outcome.kind === "cut") ledger.report("cut", `All that came for ${asked}: ${JSON.stringify(outcome.received)}`);
  return outcome.kind !== "refused";
}

/** Whether an answer says all that a client needs: not now, again soon, and not on this connection. */
function isTurnedAway(answer: SeenResponse): boolean {
  const { status, headers, text } = answer;
  return status === 503 && headers.has("retry-after") && endsConnection(answer) && text.includes('"store_unavailable"');
}
