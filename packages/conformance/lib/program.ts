/** The program that tests a petstore by its address: it reads the command line, runs the cases, and prints the results. */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ConformanceCase, conformanceCases, type FirstResponse, tryTarget } from "./conformance/conformance.ts";
import type { ConformanceTarget } from "./conformance/client.ts";
import { asJson, describeEnd, describePets, describeResult, type Report } from "./conformance/report.ts";
import { runAll } from "./conformance/run.ts";
import { DEFAULT_SEED } from "./http/generated/random.ts";
import { VERSION } from "./version.ts";

const MOST_SEED = 9_999_999;

export const HELP = `Test whether a petstore, written in any language, keeps the HTTP contract

Usage: conformance <url> [flags]

  --key <key>        The API key to send, which may read and write. Other users can see a flag in the list of processes
                     [PETSTORE_KEYS; if it has several, the first in clear text]
  --key-file <path>  A file with the key [PETSTORE_KEYS_FILE]
  --level <level>    specification: test only what the specification says; full: also test what
                     @petstore/petstore adds to it [default full]
  --only <area>      Test only this area, such as pets.list, or all areas whose names begin with this text
  --seed <number>    Generate the requests from this seed. A run with the same seed sends the same requests
                     [default ${DEFAULT_SEED}]
  --timeout <s>      How many seconds to wait for each response [default 10]
  --json             Print JSON: url, level, seed, counts, cases, and the ids of the pets that were added
  --help, --version

The program prints a line for each case. For a case that fails, it also prints the broken promise, the fault, the last request and
its response. The cases add at most 500 pets, which the API cannot remove. The last line has their ids.

Exit status: 0 if all cases pass; 1 if a case fails, or the run is cut short; 2 if the command line is wrong, or the server cannot be
reached, refuses the key, or is no petstore.`;

/** What a run needs of the process that it runs in. */
export interface Surroundings {
  /** Reads an environment variable. */
  environment(name: string): string | undefined;
  /** Writes to standard output. Rejects if its reader has closed it. */
  write(text: string): Promise<void>;
  /** Writes a line to standard error. */
  tell(line: string): void;
  /** Resolves when a signal ends the program. */
  ending(): Promise<void>;
}

/** A mistake of the caller, with a message for a line on standard error. */
class UsageError extends Error {}

/** Runs the program, and returns its exit status. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    const flags = readFlags(args);
    if (flags.help || flags.version) {
      await surroundings.write(`${flags.help ? HELP : `conformance ${VERSION}`}\n`);
      return 0;
    }
    return await test(flags, surroundings);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    surroundings.tell(`conformance: ${error.message}`);
    return 2;
  }
}

type Flags = ReturnType<typeof readFlags>;

function readFlags(args: readonly string[]) {
  const text = { type: "string" } as const, on = { type: "boolean", default: false } as const;
  const options = {
    key: text,
    "key-file": text,
    level: { type: "string", default: "full" },
    only: text,
    seed: { type: "string", default: String(DEFAULT_SEED) },
    timeout: { type: "string", default: "10" },
    json: on,
    help: on,
    version: on,
  } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { ...values, address: positionals.length === 1 ? positionals[0]! : "" };
  } catch (error) {
    // The message quotes the name of a flag, and no value, which may be a key.
    throw new UsageError(`${(error as Error).message.split("\n")[0]}; add --help to see the flags`);
  }
}

async function test(flags: Flags, { environment, write, tell, ending }: Surroundings): Promise<number> {
  if (flags.level !== "specification" && flags.level !== "full") {
    throw new UsageError(`--level must be specification or full, not ${JSON.stringify(flags.level)}`);
  }
  const seed = readNumber("--seed", flags.seed, 0, MOST_SEED);
  const timeoutMs = 1000 * readNumber("--timeout", flags.timeout, 1, 600);
  const pets: Report["pets"] = { ids: new Set(), unknown: 0 };
  const abort = new AbortController();
  const target: ConformanceTarget = {
    baseUrl: flags.address,
    key: readKey(flags, environment),
    seed,
    timeoutMs,
    onCreate: (id) => void (id === undefined ? pets.unknown++ : pets.ids.add(id)),
    signal: abort.signal,
  };
  const cases = select(casesFor(target), flags.level, flags.only);
  const url = flags.address.replace(/\/$/, "");
  checkTarget(url, await tryTarget(target));
  ending().then(() => abort.abort("a signal has ended the program"));
  let isClosed = false;
  const print = async (text: string) => {
    try {
      if (!isClosed) await write(`${text}\n`);
    } catch {
      isClosed = true;
      abort.abort("standard output is closed");
    }
  };
  const results: Report["results"] = [];
  for await (const result of runAll(cases, abort.signal)) {
    results.push(result);
    if (!flags.json && result.outcome !== "skip") await print(describeResult(result));
  }
  const report = { url, level: flags.level, seed, results, pets };
  await print(flags.json ? asJson(report) : describeEnd(report).join("\n"));
  // The pets stay, so a line tells of them.
  if (isClosed) tell(`conformance: ${describePets(pets)}`);
  if (abort.signal.aborted) tell(`conformance: not all cases have run: ${abort.signal.reason}`);
  return abort.signal.aborted || results.some(({ outcome }) => outcome === "fail") ? 1 : 0;
}

function readNumber(flag: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${flag} must be a number from ${least} to ${most}`);
}

function casesFor(target: ConformanceTarget): ConformanceCase[] {
  try {
    return conformanceCases(target);
  } catch (error) {
    // The message quotes neither the address, which may have a password, nor the key.
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}

function readKey(flags: Flags, environment: Surroundings["environment"]): string {
  if (flags.key !== undefined && flags["key-file"] !== undefined) {
    throw new UsageError("--key and --key-file are both given; give one of them");
  }
  const path = flags["key-file"] ?? (flags.key === undefined ? environment("PETSTORE_KEYS_FILE") : undefined);
  const text = path ? readSecret(path) : flags.key ?? environment("PETSTORE_KEYS") ?? "";
  const key = text.split(",").map((each) => each.trim()).find((each) => each !== "" && !each.startsWith("sha256:"));
  if (key === undefined) {
    throw new UsageError("Name the key to send, in clear text, by --key-file, PETSTORE_KEYS or --key");
  }
  return key;
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`The key file cannot be read: ${(error as { code?: string }).code ?? "unknown error"}`);
  }
}

/** The cases of a level and an area. Some areas need a petstore with options, which an address does not give. */
function select(all: readonly ConformanceCase[], chosen: string, only: string | undefined): ConformanceCase[] {
  const cases = all.filter(({ level }) => chosen === "full" || level === chosen);
  const selected = cases.filter(({ area }) => only === undefined || `${area}.`.startsWith(`${only}.`));
  if (selected.some(({ skip }) => !skip)) return selected;
  const areas = [...new Set(cases.filter(({ skip }) => !skip).map(({ area }) => area))].sort();
  throw new UsageError(`--only must be an area, not ${JSON.stringify(only)}; the areas are ${areas.join(", ")}`);
}

/** Throws if it is no use to run a hundred cases. */
function checkTarget(url: string, seen: FirstResponse | string): void {
  if (typeof seen === "string") throw new UsageError(`${url}/pets cannot be reached: ${seen}`);
  const { status, location, isPage } = seen;
  if (status === 401 || status === 403) {
    throw new UsageError(`${url} answers ${status}, so it refuses the key; name one that may read and write`);
  }
  const target = status >= 300 && status < 400 && location ? ` and redirects to ${JSON.stringify(location)}` : "";
  if (target === "" && status !== 404 && !(status === 200 && isPage)) return;
  throw new UsageError(`${url} answers ${status}${target}, so it is not the base address of a petstore`);
}
