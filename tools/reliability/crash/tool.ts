/**
 * Clients create, the server is killed, its store is audited, the clients retry, and all is audited.
 *
 * The system still has what a killed process wrote. Only a loss of power could show whether it reached the disk.
 */

import { auditAll, auditEnd } from "../shared/audit.ts";
import { createAgain, createOnAndOn, type WorkerPool } from "../shared/creating.ts";
import { Follower } from "../shared/follower.ts";
import type { Installation } from "../shared/installation.ts";
import type { Create } from "../shared/journal.ts";
import { defineRounds, type Figures, type Stage } from "../shared/rounds.ts";

const ABOUT =
  `Clients create, and one follows the ids. Other programs open the store, read, check, copy or lock it, and close it. At a
random moment SIGKILL hits the server; with PostgreSQL it hits the servers, the database, both, or the connections first. Then
a restart on what is left, an audit, retries of what was not answered, and another audit.`;

export const CRASH = defineRounds(ABOUT, runCrashRound);

/** In one of so many cases a server is killed again: while it starts, or during the retries. */
const ONCE_MORE = 4;

/** The usual time of a start and of the retries, in milliseconds. */
const START_TIME = 60, RETRY_TIME = 10;

/** The longest pause between two visits, in milliseconds. */
const LONGEST_PAUSE = 50;

/** Answered creates that are sent again in a round. */
const FORGETFUL = 32;

export async function runCrashRound(stage: Stage): Promise<Figures> {
  const { installation, journal, random, tag, within } = stage;
  const before = { acknowledged: journal.acknowledged, replays: journal.replays };
  const figures = { kills: 0, "kills during creates": 0, "creates in flight": 0, stored: 0, retries: 0 };
  const onFailure: WorkerPool["onFailure"] = (outcome, body) => {
    const isRefusal = outcome.kind === "answered" && outcome.response.status === 503 && installation.mayRefuse;
    if (isRefusal || outcome.kind === "unanswered" || outcome.kind === "cut") figures["creates in flight"]++;
    else if (outcome.kind === "answered") {
      journal.report("response", `${outcome.response.status} was the response to ${body}`);
    }
    // The server is gone, or the finding is recorded.
    return false;
  };
  const pool = (): WorkerPool => ({ ...stage, ports: installation.ports, onFailure });
  const follower = new Follower(() => installation.ports);
  const begun = journal.nextAcknowledged();
  const loaded = createOnAndOn(pool(), tag);
  await Promise.race([begun, loaded]);
  const crashed = crashAfter(random.below(within), installation);
  await Promise.all([crashed, loaded, visitUntil(crashed, stage)]);
  for (let hit = 0, isKilled = true; isKilled;) {
    if (figures["creates in flight"] > hit) figures["kills during creates"]++;
    hit = figures["creates in flight"];
    figures.kills += await recover(stage);
    figures.stored += journal.unanswered().filter(({ id }) => id !== undefined).length;
    const retries = chooseRetries(stage);
    figures.retries += retries.length;
    const asked = createAgain(pool(), retries);
    isKilled = random.oneIn(ONCE_MORE);
    if (isKilled) await crashAfter(random.below(RETRY_TIME), installation);
    await asked;
  }
  await auditEnd(installation.ports, journal, random);
  await follower.finish(journal);
  return {
    ...figures,
    acknowledged: journal.acknowledged - before.acknowledged,
    replays: journal.replays - before.replays,
  };
}

/** Other programs come and go until the kill; the last may still be there. */
async function visitUntil(crashed: Promise<void>, { installation, journal, random }: Stage): Promise<void> {
  const visitors = random.fork();
  let isOver = false;
  crashed.then(() => isOver = true);
  while (!isOver) {
    for (const line of await installation.visit(visitors)) journal.report("store", line);
    await new Promise((resolve) => setTimeout(resolve, visitors.below(LONGEST_PAUSE)));
  }
}

/** After a kill: the store checks itself, the server starts on it, and the audit follows. Returns how often it was killed. */
async function recover({ installation, journal, random }: Stage): Promise<number> {
  let kills = 1;
  for (const line of installation.inspect()) journal.report("store", line);
  for (; random.oneIn(ONCE_MORE); kills++) {
    await installation.crashAtStart(random.below(START_TIME));
    for (const line of installation.inspect()) journal.report("store", line);
  }
  await installation.start();
  for (const port of installation.ports) await auditAll(port, journal);
  return kills;
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
