/**
 * One round: clients create, the server is killed, its store is audited, the clients retry, and all is audited.
 *
 * The system still has what a killed process wrote. Only a loss of power could show whether it reached the disk.
 */

import { auditAll, auditEnd } from "../shared/audit.ts";
import { createAgain, createOnAndOn, type WorkerPool } from "../shared/creating.ts";
import { Follower } from "../shared/follower.ts";
import type { Installation } from "../shared/installation.ts";
import type { Create } from "../shared/journal.ts";
import type { RoundOptions } from "../shared/rounds_tool.ts";
import type { Stage } from "../shared/rounds.ts";

export interface CrashFigures {
  /** Milliseconds from the first acknowledgement to the first kill. */
  moment: number;
  acknowledged: number;
  kills: number;
  /** Visits of another program that opened the store and closed it. */
  visits: number;
  /** Kills that hit creates in flight. */
  killsInFlight: number;
  /** Creates whose responses a kill took, and how many of them were stored. */
  inFlight: number;
  stored: number;
  retries: number;
  replays: number;
}

/** In one of so many cases a server is killed again: while it starts, or during the retries. */
const ONCE_MORE = 4;

/** The usual time of a start and of the retries, in milliseconds. */
const START_TIME = 60, RETRY_TIME = 10;

/** The longest pause between two visits, in milliseconds. */
const LONGEST_PAUSE = 50;

/** Answered creates that are sent again in a round. */
const FORGETFUL = 32;

export async function runCrashRound(stage: Stage, options: RoundOptions): Promise<CrashFigures> {
  const { installation, journal, random, tag } = stage;
  const before = { acknowledged: journal.acknowledged, replays: journal.replays };
  const figures = { moment: random.below(options.within), kills: 0, visits: 0, inFlight: 0, stored: 0, retries: 0 };
  let killsInFlight = 0;
  const onFailure: WorkerPool["onFailure"] = (outcome, body) => {
    const isRefusal = outcome.kind === "answered" && outcome.response.status === 503 && installation.mayRefuse;
    if (isRefusal || outcome.kind === "unanswered" || outcome.kind === "cut") figures.inFlight++;
    else if (outcome.kind === "answered") {
      journal.report("response", `${outcome.response.status} was the response to ${body}`);
    }
    // The server is gone, or the finding is recorded.
    return false;
  };
  const pool = (): WorkerPool => ({ ...options, ports: installation.ports, journal, random, onFailure });
  const follower = new Follower(() => installation.ports);
  const begun = journal.nextAcknowledged();
  const loaded = createOnAndOn(pool(), tag);
  await Promise.race([begun, loaded]);
  const crashed = crashAfter(figures.moment, installation);
  await Promise.all([crashed, loaded, visitUntil(crashed, stage, figures)]);
  for (let hit = 0;;) {
    if (figures.inFlight > hit) killsInFlight++;
    hit = figures.inFlight;
    await recover(stage, figures);
    const retries = chooseRetries(stage);
    figures.retries += retries.length;
    const asked = createAgain(pool(), retries);
    const isKilled = random.oneIn(ONCE_MORE);
    if (isKilled) await crashAfter(random.below(RETRY_TIME), installation);
    await asked;
    if (!isKilled) break;
  }
  await auditEnd(installation.ports, journal, random);
  await follower.finish(journal);
  return {
    ...figures,
    killsInFlight,
    acknowledged: journal.acknowledged - before.acknowledged,
    replays: journal.replays - before.replays,
  };
}

/** Other programs come and go until the kill; the last may still be there. */
async function visitUntil(
  crashed: Promise<void>,
  { installation, journal, random }: Stage,
  figures: Pick<CrashFigures, "visits">,
): Promise<void> {
  const visitors = random.fork();
  let isOver = false;
  crashed.then(() => isOver = true);
  while (!isOver) {
    for (const line of await installation.visit(visitors)) journal.report("store", line);
    figures.visits++;
    await new Promise((resolve) => setTimeout(resolve, visitors.below(LONGEST_PAUSE)));
  }
}

/** After a kill: the store checks itself, the server starts on it, and the audit follows. */
async function recover(
  { installation, journal, random }: Stage,
  figures: Pick<CrashFigures, "kills" | "stored">,
): Promise<void> {
  figures.kills++;
  for (const line of installation.inspect()) journal.report("store", line);
  while (random.oneIn(ONCE_MORE)) {
    figures.kills++;
    await installation.crashAtStart(random.below(START_TIME));
    for (const line of installation.inspect()) journal.report("store", line);
  }
  await installation.start();
  for (const port of installation.ports) await auditAll(port, journal);
  figures.stored += journal.storedUnanswered().length;
}

/** Every create without a response, and some answered ones, as if their clients had lost the response. */
function chooseRetries({ journal, random }: Stage): Create[] {
  const unanswered = journal.unanswered();
  const answered = journal.creates().filter(({ isAcknowledged }) => isAcknowledged);
  if (answered.length === 0) return unanswered;
  return [...unanswered, ...Array.from({ length: FORGETFUL }, () => random.pick(answered))];
}

async function crashAfter(delay: number, installation: Installation): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delay));
  await installation.crash();
}
