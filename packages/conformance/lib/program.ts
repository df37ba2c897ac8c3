/**
 * The program that tests a petstore by its address: it reads the command line, runs the cases, and
 * prints the results.
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ConformanceCase, conformanceCases, type ConformanceError, whyNoPetstore } from "./conformance.ts";
import { NO_RESPONSE } from "./exchange.ts";
import type { Topic } from "./http/case.ts";

/** The version of this package, as its package.json says it. */
const VERSION = "0.1.0";

export const HELP = `Test whether a petstore, written in any language, keeps the HTTP contract

Usage: conformance <url> [flags]

  --key <key>        The API key to send, which may read and write. Other users can see a flag in the list of processes
                     [PETSTORE_KEYS; if it has several, the first in clear text]
  --key-file <path>  A file with the key
  --level <level>    specification: test only what the specification says; full: also test what
                     @petstore/petstore adds to it [default full]
  --only <area>      Test only the areas whose names begin with this text, such as pets.list
  --json             Print JSON: url, cases, and the ids of the pets that were added
  --help, --version

The program prints a line for each case. For a case that fails, it also prints the broken promise, the fault, the last request and
its response. The cases add some 220 pets, which the API cannot remove. The last line, on standard error, has their ids.

Exit status: 0 if all cases pass; 1 if a case fails; 2 if the command line is wrong, or the server cannot be reached, refuses the key,
or is no petstore.`;

/**
 * After so many cases in a row without a response, the run ends: the server hangs or has ended, and
 * each further case would wait for ten seconds.
 */
const MOST_UNANSWERED = 3;

/** What a run needs of the process that it runs in. */
export interface Surroundings {
  /** The environment variables. */
  env: Record<string, string | undefined>;
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  tell(text: string): void;
}

/** Runs the program, and returns its exit status. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    const flags = readFlags(args);
    if (!flags.help && !flags.version) return await test(flags, surroundings);
    surroundings.write(`${flags.help ? HELP : `conformance ${VERSION}`}\n`);
    return 0;
  } catch (error) {
    // No message quotes the key, nor an address, which may have a password.
    surroundings.tell(`conformance: ${(error as Error).message.split("\n")[0]}\n`);
    return 2;
  }
}

type Flags = ReturnType<typeof readFlags>;

function readFlags(args: readonly string[]) {
  const text = { type: "string" } as const;
  const on = { type: "boolean" } as const;
  const options = { key: text, "key-file": text, level: text, only: text, json: on, help: on, version: on };
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (positionals.length !== 1 && !values.help && !values.version) {
    throw new Error("Name one base address, such as https://api.example/v1; --help shows the flags");
  }
  return { level: "full", only: "", ...values, address: positionals[0] ?? "" };
}

async function test(flags: Flags, { env, write, tell }: Surroundings): Promise<number> {
  const pets = new Set<bigint>();
  const target = { baseUrl: flags.address, key: readKey(flags, env), onCreate: (id: bigint) => void pets.add(id) };
  const cases = select(conformanceCases(target), flags);
  const url = flags.address.replace(/\/$/, "");
  const why = await whyNoPetstore(target);
  if (why !== undefined) throw new Error(`${url} ${why}`);
  const results: Result[] = [];
  let unanswered = 0;
  for (const each of cases) {
    const result = await runCase(each);
    results.push(result);
    if (!flags.json) write(`${describeResult(result)}\n`);
    unanswered = result.reason?.startsWith(NO_RESPONSE) ? unanswered + 1 : 0;
    if (unanswered === MOST_UNANSWERED) {
      tell(`conformance: ${unanswered} cases in a row got no response, so the others do not run\n`);
      break;
    }
  }
  // The ids are texts in JSON, because many readers round an int64.
  const report = { url, cases: results, petIds: Array.from(pets, String) };
  write(`${flags.json ? JSON.stringify(report) : summarize(results)}\n`);
  const [first, last] = [report.petIds[0], report.petIds.at(-1)];
  tell(`pets left behind: ${pets.size === 0 ? "none" : `${pets.size}, with ids from ${first} to ${last}`}\n`);
  return results.some(({ outcome }) => outcome === "fail") ? 1 : 0;
}

/** The result of one case, also in JSON. */
interface Result extends Topic {
  name: string;
  outcome: "pass" | "fail";
  /** Why it failed. */
  reason?: string;
  /** The request and the response that made it fail. */
  exchange?: string;
}

async function runCase({ run, ...topic }: ConformanceCase): Promise<Result> {
  try {
    await run();
    return { ...topic, outcome: "pass" };
  } catch (error) {
    const { reason, exchange } = error as ConformanceError;
    return { ...topic, outcome: "fail", reason, exchange };
  }
}

/** Describes a result in a line. What failed has the promise, the reason and the messages below it. */
function describeResult({ outcome, level, area, name, reason, promise, exchange = "" }: Result): string {
  const line = `${outcome === "pass" ? "pass" : "FAIL"}  ${level.padEnd(13)}  ${area.padEnd(23)}  ${name}`;
  if (outcome === "pass") return line;
  const more = [`promise: ${promise}`, ...`reason:  ${reason}`.split("\n"), ...exchange.split("\n")];
  return [line, ...more.map((text) => `      ${text}`.trimEnd())].join("\n").trimEnd();
}

/** Counts the results of each level in a line. */
function summarize(results: readonly Result[]): string {
  const lines = Array.from(Map.groupBy(results, ({ level }) => level), ([level, all]) => {
    const count = (outcome: string) => all.filter((result) => result.outcome === outcome).length;
    return `${level}: ${count("pass")} passed, ${count("fail")} failed`;
  });
  return lines.join("\n");
}

function readKey(flags: Flags, env: Surroundings["env"]): string {
  const path = flags["key-file"];
  const text = path === undefined ? flags.key ?? readVariable(env, "PETSTORE_KEYS") ?? "" : readFileSync(path, "utf8");
  // A server takes several keys from PETSTORE_KEYS, and also their digests, which cannot be sent.
  const key = text.split(",").map((each) => each.trim()).find((each) => each !== "" && !each.startsWith("sha256:"));
  if (key === undefined) throw new Error("Name the key to send, in clear text, by --key-file, PETSTORE_KEYS or --key");
  return key;
}

/** Deno's own error for a variable that is not UTF-8 would show its value, which may be the key. */
function readVariable(env: Surroundings["env"], name: string): string | undefined {
  try {
    return env[name];
  } catch {
    throw new Error(`${name} cannot be read: it must be UTF-8, and Deno needs the permission --allow-env=${name}`);
  }
}

/** The cases of a level and of some areas. */
function select(all: readonly ConformanceCase[], { level, only }: Flags): ConformanceCase[] {
  if (level !== "specification" && level !== "full") {
    throw new Error(`--level must be specification or full, not ${JSON.stringify(level)}`);
  }
  const cases = all.filter((each) => level === "full" || each.level === level);
  const selected = cases.filter(({ area }) => area.startsWith(only));
  if (selected.length > 0) return selected;
  const areas = [...new Set(cases.map(({ area }) => area))].sort();
  throw new Error(`--only must be an area, not ${JSON.stringify(only)}; the areas are ${areas.join(", ")}`);
}
