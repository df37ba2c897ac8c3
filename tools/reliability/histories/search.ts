import fc from "fast-check";
import { type Ground, type Place, Tally, tryPlan } from "./ground.ts";
import { type Plan, plans } from "./plan.ts";

export interface Finding {
  problem: string;
  /** The problem, and the smallest plan that has led to it. */
  text: string;
}

/** Histories of successive seeds, which begin with new stores. */
export interface Block {
  seed: number;
  histories: number;
}

export interface Extent<Fault> {
  fault: fc.Arbitrary<Fault>;
  /** Several searches may share them, and end with the first finding. */
  blocks: Iterable<Block>;
  tally?: Tally;
  /** How often at most a finding is tried again to make it smaller. */
  tries?: number;
}

const BLOCK = 20;

/** The scheduler is not repeated, so a smaller plan gets several tries. */
const TRIES_OF_PLAN = 3;

const MOST_FAULTS = 4;

export function* blocksFrom(seed: number, histories: number): Generator<Block> {
  for (let i = 0; i < histories; i += BLOCK) yield { seed: seed + i, histories: Math.min(BLOCK, histories - i) };
}

/** Runs histories, and returns the first that is wrong, made smaller. */
export async function search<Fault>(
  ground: Ground<Fault>,
  { fault, blocks, tally = new Tally(), tries = 200 }: Extent<Fault>,
): Promise<Finding | undefined> {
  return await ground.open(async (place) => {
    for (const block of blocks) {
      await place.renew();
      for (let seed = block.seed; seed < block.seed + block.histories; seed++) {
        const found = await searchOne(place, { fault, seed, tally, tries });
        if (!found) continue;
        const again = `--way "${ground.name}" --seed ${seed} --histories 1`;
        const before = `--seed ${block.seed} --histories ${seed - block.seed + 1}`;
        return { ...found, text: `${found.text}\nRepeat it with ${again}; with those before it, ${before}` };
      }
    }
    return undefined;
  });
}

async function searchOne<Fault>(
  place: Place<Fault>,
  { fault, seed, tally, tries }: { fault: fc.Arbitrary<Fault>; seed: number; tally: Tally; tries: number },
): Promise<Finding | undefined> {
  let problem: string | undefined, broken: unknown, left = tries;
  // An error of the tool itself is no finding: smaller plans would meet it too, each after a minute.
  const run = async (plan: Plan<Fault>): Promise<string | undefined> => {
    try {
      if (problem !== undefined) await place.renew();
      return await tryPlan(place, plan, tally);
    } catch (error) {
      broken ??= error;
      return undefined;
    }
  };
  const isRight = async (plan: Plan<Fault>) => {
    if (problem === undefined) return (problem = await run(plan)) === undefined;
    for (let own = TRIES_OF_PLAN; own > 0 && left > 0 && !broken; own--, left--) {
      const found = await run(plan);
      if (found === undefined) continue;
      problem = found;
      return false;
    }
    return true;
  };
  const property = fc.asyncProperty(plans(fault, MOST_FAULTS), isRight);
  const { counterexample } = await fc.check(property, { seed, numRuns: 1, unbiased: true });
  if (broken) throw new Error(`The history of seed ${seed} did not end`, { cause: broken });
  return problem === undefined ? undefined : { problem, text: describe(problem, counterexample![0]) };
}

function describe<Fault>(problem: string, { pets, servers, clients, faults }: Plan<Fault>): string {
  const show = (value: unknown) =>
    JSON.stringify(value, (_, member) => typeof member === "bigint" ? `${member}` : member);
  return [
    problem,
    `Pets before: ${pets.length}. Servers: ${servers}. Each line is a client:`,
    ...clients.filter((steps) => steps.length > 0).map(show),
    `Faults: ${show(faults)}`,
  ].join("\n");
}
