/** Where histories happen: petstores on a store, with faults in between. */

import type { PetStore } from "../../../lib/stores/store.ts";
import { createPetstore } from "../../../mod.ts";
import { findProblem, type Stored } from "./check.ts";
import { type Exchange, type Handle, KEY, Recorder } from "./history.ts";
import type { Plan } from "./plan.ts";

export interface Ground<Fault> {
  name: string;
  /** Makes a place of its own, in which one history runs after the other, until `use` is done. */
  open<T>(use: (place: Place<Fault>) => Promise<T>): Promise<T>;
}

/**
 * A place in which histories run. Its stores may stay open from one history to the next, with the connections that are
 * left, because opening them is most of the work.
 */
export interface Place<Fault> {
  /** Stores the pets of the plan, and carries out its faults while `run` is under way. */
  use(plan: Plan<Fault>, run: (stores: readonly PetStore[], endFaults: () => void) => Promise<void>): Promise<Outcome>;
  /** Opens new stores. */
  renew(): Promise<void>;
}

export interface Outcome {
  /** The pets that are there after all is done that was sent. */
  stored: Stored;
  /** How many faults were carried out. */
  faults: number;
}

/** What histories have met. */
export class Tally {
  histories = 0;
  faults = 0;
  readonly responses: Map<string, number> = new Map();

  count(exchanges: readonly Exchange[], faults: number): void {
    this.histories++;
    this.faults += faults;
    for (const { status, text } of exchanges) {
      const kind = text.includes("may have been stored") ? `${status}, perhaps stored` : String(status);
      this.responses.set(kind, (this.responses.get(kind) ?? 0) + 1);
    }
  }

  toString(): string {
    const responses = [...this.responses].sort().map(([kind, count]) => `${count} times ${kind}`);
    return `${this.histories} histories, ${this.faults} faults; ${responses.join(", ")}`;
  }
}

/** How often a server may refuse after the last fault, before it counts as broken. */
const REFUSALS = 100;

/** Runs a plan, and describes what was wrong; `undefined` if nothing was. */
export async function tryPlan<Fault>(
  place: Place<Fault>,
  plan: Plan<Fault>,
  tally: Tally,
): Promise<string | undefined> {
  const recorder = new Recorder();
  let hasRecovered = true;
  const { stored, faults } = await place.use(plan, async (stores, endFaults) => {
    const handles = stores.map((store): Handle => createPetstore({ store, keys: [KEY], onError: () => {} }).handle);
    await recorder.run(handles, plan);
    endFaults();
    for (const handle of handles) hasRecovered &&= await isReadAtLast(recorder, handle);
  });
  tally.count(recorder.exchanges, faults);
  return hasRecovered
    ? findProblem(plan.pets, recorder.exchanges, stored)
    : "A server refuses long after the last fault";
}

/** The faults are over: each server recovers by itself, and shows all. */
async function isReadAtLast(recorder: Recorder, handle: Handle): Promise<boolean> {
  for (let tries = 0; tries < REFUSALS; tries++) {
    const { status } = await recorder.ask(handle, { kind: "list", after: 0, limit: 100, status: undefined });
    if (status !== 503) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
