/** Checks states of a trace, and shrinks what fails. */

import { rmSync } from "node:fs";
import { Random } from "../../support/random.ts";
import { findFaults } from "./invariants.ts";
import { Promises } from "./promises.ts";
import { findServedFaults } from "./server_check.ts";
import { type Losses, MAX_CHOICES, Moment, type State, writeState } from "./states.ts";
import type { Step } from "./trace.ts";

/** One state in so many is checked by a server too. */
const SERVED = 100;

/** Of a trace, after which no more are looked for. */
const MAX_FAILURES = 3;

export interface CheckOptions {
  seed: number;
  /** The most states that are checked. */
  states: number;
  /** The folder in which they are made. */
  place: string;
}

export interface Failure {
  faults: string[];
  /** The fewest steps whose loss fails. */
  lost: string[];
}

export interface Checked {
  states: number;
  failures: Failure[];
}

interface Candidate {
  moment: Moment;
  promises: Promises;
  losses: Losses;
  state: State;
}

/** States that differ, or of which more was promised, spread over all moments. */
function* findStates(
  steps: readonly Step[],
  { seed, states }: { seed: number; states: number },
): Generator<Candidate> {
  const seen = new Set<string>();
  let left = states, moments = countMoments(steps);
  for (const { moment, promises } of walk(steps)) {
    let share = Math.ceil(left / moments--);
    for (let choice = 0, tries = 4 * share + 20; choice < Math.min(MAX_CHOICES, tries) && share > 0; choice++) {
      const losses = moment.losses(choice, seed);
      if (!losses) break;
      const state = moment.stateWithout(losses);
      const key = `${promises.count} ${state.key}`;
      if (seen.has(key)) continue;
      seen.add(key);
      share--;
      left--;
      yield { moment, promises, losses, state };
    }
  }
}

function* walk(steps: readonly Step[]): Generator<{ moment: Moment; promises: Promises }> {
  const moment = new Moment(steps), promises = new Promises();
  for (let passed = moment.advance(); passed.length > 0; passed = moment.advance()) {
    promises.add(passed);
    yield { moment, promises };
  }
}

function countMoments(steps: readonly Step[]): number {
  let count = 0;
  for (const moment = new Moment(steps); moment.advance().length > 0;) count++;
  return count;
}

export async function checkTrace(steps: readonly Step[], options: CheckOptions): Promise<Checked> {
  const checked: Checked = { states: 0, failures: [] };
  for (const candidate of findStates(steps, options)) {
    const failure = await checkState(candidate, options, checked.states++ % SERVED === 0);
    if (failure && checked.failures.push(failure) === MAX_FAILURES) break;
  }
  return checked;
}

async function checkState(
  candidate: Candidate,
  { seed, place }: CheckOptions,
  isServed: boolean,
): Promise<Failure | undefined> {
  const { moment, promises, losses, state } = candidate;
  const makeState = (state: State) => {
    rmSync(place, { recursive: true, force: true });
    writeState(state, place);
  };
  const findDirectly = (state: State) => {
    makeState(state);
    return findFaults(place, promises);
  };
  const findByServer = (state: State) => {
    makeState(state);
    return findServedFaults(place, promises, new Random(seed));
  };
  let find: (state: State) => string[] | Promise<string[]> = findDirectly;
  let faults = findDirectly(state);
  if (faults.length === 0 && isServed) faults = await (find = findByServer)(state);
  if (faults.length === 0) return undefined;
  const fewest = await shrink([...losses], async (some) => (await find(moment.stateWithout(new Map(some)))).length > 0);
  const lost = fewest.map(([step, loss]) => {
    const { text } = moment.steps[step]!;
    return loss === "all" ? text : `sectors ${[...loss].join(", ")} of ${text}`;
  });
  return { faults, lost };
}

/** Leaves out parts, first large and then small ones, while it still fails. */
async function shrink<T>(list: T[], fails: (list: T[]) => Promise<boolean>): Promise<T[]> {
  for (let size = Math.ceil(list.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < list.length;) {
      const rest = list.toSpliced(at, size);
      if (await fails(rest)) list = rest;
      else at += size;
    }
  }
  return list;
}
