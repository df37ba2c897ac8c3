/** Which keys a petstore knows after any steps in any order, as the promises of the pages say. Time is virtual. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sleep } from "../../lib/promises.ts";
import { MAX_AGE, PATIENCE, type Program, withProgram } from "../support/key_program.ts";

type Step = "ask" | "change" | "change here" | Program["mode"] | number;

const ACTS: Step[] = ["ask", "ask", "ask", "change", "change here", "works", "slow", "fails", "hangs"];
const WAITS: Step[] = [10, 100, 550, MAX_AGE + 50, PATIENCE + MAX_AGE];
const STEP = fc.constantFrom(...ACTS, ...WAITS);

/** Takes the steps. Resolves when all requests have been answered as they must. */
async function take(steps: Step[], program: Program): Promise<void> {
  const { manager, other, now, told } = program;
  /** The time since which the store works. */
  let calmSince = now();
  const asked: Promise<void>[] = [];
  const addKey = async () => ({ ...await other.add({ label: "ci" }), at: now(), revokedAt: Infinity, isOver: false });
  let old = await addKey();
  let current = old;
  await manager.check();

  async function ask(key: typeof current): Promise<void> {
    const askedAt = now();
    const { isOver, revokedAt } = key;
    const since = calmSince;
    const [verdict, wait = 0] = await program.ask(key.key);
    assert.ok(verdict !== "error" && wait <= 2 * MAX_AGE + 50, `${verdict} after ${wait} ms`);
    if (isOver) assert.equal(verdict, "no", "a change by this program counts at once");
    if (since !== calmSince || askedAt - since < PATIENCE + MAX_AGE) return;
    if (revokedAt <= askedAt - MAX_AGE) assert.equal(verdict, "no", "a change counts within a second");
    if (key.revokedAt === Infinity && key.at < askedAt) assert.equal(verdict, "yes", "a key is valid at once");
  }

  for (const step of steps) {
    if (typeof step === "number") await sleep(step);
    else if (step === "ask") asked.push(ask(old), ask(current));
    else if (step === "change" || step === "change here") {
      const revoked = old = current;
      if (step === "change") await other.revoke(old.id);
      else manager.revoke(old.id).then(() => revoked.isOver = true, () => {});
      old.revokedAt = now();
      current = await addKey();
    } else {
      program.mode = step;
      calmSince = step !== "works" ? Infinity : Math.min(calmSince, now());
    }
  }
  await Promise.all(asked);
  told.forEach((error, i) => assert.equal(error === undefined, i % 2 === 1, "one report for each outage"));
  assert.equal(told.at(-1), undefined, "the end of the outage");
}

test("whatever happens in whatever order, changes count in time, and no request waits for long", () =>
  fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 30 }), (steps) =>
      // Whatever has happened, a store that works is read again.
      withProgram((program) =>
        take([...steps, "works", PATIENCE + MAX_AGE, "ask", 550, "change", MAX_AGE, "ask"], program)
      )),
    { numRuns: 1_000 },
  ));
