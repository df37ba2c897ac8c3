import { checkAll, type Checks, option, wholeNumber } from "../option_checks.ts";
import { OPERATIONS } from "../operations/table.ts";

/** Options of `withFaults()`. The shares of the requests are from 0, the default, to 1, and total at most 1. */
export interface FaultOptions {
  /** The share that waits, and is then carried out, even if the client has left. */
  delay?: number;
  /** How long it waits, in milliseconds. Default: 1,000. */
  delayMs?: number;
  /** The share that gets 503 with `Retry-After: 5`, and is not carried out. */
  unavailable?: number;
  /** The share whose connection ends, and that is not carried out. */
  cut?: number;
  /** The share whose connection ends when it has been carried out. */
  lose?: number;
  /** The operations that have faults, such as `createPet`. Default: all. */
  operations?: readonly string[];
  /** How many requests have faults; later ones have none. Default: 2,147,483,647. */
  times?: number;
  /**
   * Chooses which requests have faults. The same requests in the same order have the same faults;
   * another seed has others. Default: 1.
   */
  seed?: number;
}

/** The kinds of faults, in the order in which the shares are drawn. */
export const FAULTS = ["delay", "unavailable", "cut", "lose"] as const;

export type Fault = typeof FAULTS[number];

/**
 * @throws {TypeError | RangeError} If an option is unknown, of a wrong type or out of range, or the
 * shares total more than 1.
 */
export function checkFaults(options: FaultOptions): Required<FaultOptions> {
  const faults = checkAll(CHECKS, options);
  const total = FAULTS.reduce((sum, fault) => sum + faults[fault], 0);
  if (total > 1) throw new RangeError(`The shares of ${FAULTS.join(", ")} must total at most 1, not ${total}`);
  return faults;
}

const OPERATION_IDS: readonly string[] = OPERATIONS.map(({ id }) => id);

const SHARE = option(
  "a share from 0 to 1",
  (given) => typeof given === "number" && given >= 0 && given <= 1 ? given : undefined,
  0,
);

const CHECKS: Checks<FaultOptions, Required<FaultOptions>> = {
  delay: SHARE,
  unavailable: SHARE,
  cut: SHARE,
  lose: SHARE,
  delayMs: wholeNumber(1_000),
  operations: option(`one or more of ${OPERATION_IDS.join(", ")}`, parseOperations, OPERATION_IDS),
  times: wholeNumber(2 ** 31 - 1),
  seed: wholeNumber(1),
};

function parseOperations(given: unknown): readonly string[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const chosen: string[] = [...given];
  return chosen.every((id) => OPERATION_IDS.includes(id)) ? chosen : undefined;
}
