/** Runs histories: plans of clients and faults, on petstores that share a store, each checked when it is over. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { PetStore } from "../../../lib/stores/store.ts";
import { createPetstore } from "../../../mod.ts";
import { findProblem, type Stored } from "./check.ts";
import { type Handle, KEY, Recorder } from "./history.ts";
import { type Plan, plans } from "./plan.ts";

/**
 * Where histories run, one after the other. Its stores may stay open from one history to the next, with the connections that are left,
 * because opening them is most of the work.
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

export interface Extent {
  histories: number;
  seed: number;
}

/**
 * Runs histories and returns how many faults there were. Fails with the smallest plan that leads to a wrong history. Its seed repeats the
 * requests and the faults, but not the order in which the scheduler runs them.
 */
export async function assertHistories<Fault>(
  place: Place<Fault>,
  fault: fc.Arbitrary<Fault>,
  { histories, seed }: Extent,
): Promise<number> {
  let faults = 0, hasFailed = false;
  const property = fc.asyncProperty(plans(fault), async (plan) => {
    if (hasFailed) await place.renew();
    hasFailed = true;
    const { problem, faults: met } = await tryPlan(place, plan);
    faults += met;
    assert.equal(problem, undefined);
    hasFailed = false;
  });
  await fc.assert(property, { seed, numRuns: histories, includeErrorInReport: true });
  return faults;
}

/** How often a server may refuse after the last fault, before it counts as broken. */
const REFUSALS = 100;

async function tryPlan<Fault>(place: Place<Fault>, plan: Plan<Fault>): Promise<{ problem?: string; faults: number }> {
  const recorder = new Recorder();
  let hasRecovered = true;
  const { stored, faults } = await place.use(plan, async (stores, endFaults) => {
    const handles = stores.map((store): Handle => createPetstore({ store, keys: [KEY], onError: () => {} }).handle);
    await recorder.run(handles, plan);
    endFaults();
    for (const handle of handles) hasRecovered &&= await isReadAtLast(recorder, handle);
  });
  if (!hasRecovered) return { problem: "A server refuses long after the last fault", faults };
  const problem = findProblem(plan.pets, recorder.exchanges, stored);
  return { faults, ...(problem !== undefined && { problem }) };
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
