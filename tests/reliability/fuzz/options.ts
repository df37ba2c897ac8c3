/** The command line of `deno task fuzz`. */

import { parseArgs } from "node:util";

/** What is to be run. */
export interface FuzzOptions {
  requests: number;
  seed: number;
  isSocket: boolean;
  /** The stores that are wanted; all of them unless given. */
  stores: readonly string[] | undefined;
  /** Where to serve a petstore to repeat a finding on, instead of looking for one. */
  servePort: number | undefined;
}

const REQUESTS = 100_000;

/** What `--help` prints, above the names of the stores. */
export const HELP = `deno task fuzz [options]

  --requests N   how many requests to send, each to every store: ${REQUESTS} unless given
  --seed S       which requests: those of an earlier run, or random ones unless given
  --socket       through Deno.serve, byte by byte, and with what is no HTTP at all; otherwise handle is called
  --store NAME   this store only; repeatable
  --serve PORT   serve a petstore to try the printed curl lines on, and look for nothing
  --help         this text

Stores:`;

/**
 * Reads the command line, or answers `undefined` if help is wanted.
 *
 * @throws {TypeError} If something is wrong with it.
 */
export function readOptions(args: string[], stores: readonly string[]): FuzzOptions | undefined {
  const { values } = parseArgs({
    // `deno task fuzz -- --seed 1` hands the two dashes over.
    args: args[0] === "--" ? args.slice(1) : args,
    options: {
      requests: { type: "string", default: String(REQUESTS) },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
      socket: { type: "boolean", default: false },
      store: { type: "string", multiple: true },
      serve: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return undefined;
  for (const name of values.store ?? []) {
    if (!stores.includes(name)) throw new TypeError(`There is no store ${name}; see --help`);
  }
  return {
    requests: readCount("requests", values.requests, 1),
    seed: readCount("seed", values.seed, 0),
    isSocket: values.socket,
    stores: values.store,
    servePort: values.serve === undefined ? undefined : readCount("serve", values.serve, 0),
  };
}

function readCount(name: string, given: string, least: number): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= least && count < 2 ** 31) return count;
  throw new TypeError(`--${name} must be a whole number from ${least} to 2147483647`);
}
