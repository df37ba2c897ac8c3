/**
 * The program that tests a petstore by its address: it reads the command line, runs the cases, and
 * prints the results.
 */

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  type ConformanceCase,
  conformanceCases,
  type ConformanceError,
  whyNoPetstore,
} from "./conformance/conformance.ts";
import type { ConformanceTarget } from "./conformance/client.ts";
import { describePets, describeResult, type Pets, type Result, summarize } from "./conformance/report.ts";
import { VERSION } from "./version.ts";

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

Exit status: 0 if all cases pass; 1 if a case fails, or the run is cut short; 2 if the command line is wrong, or the server cannot be
reached, refuses the key, or is no petstore.`;

/** What a run needs of the process that it runs in. */
export interface Surroundings {
  /** Reads an environment variable. */
  environment(name: string): string | undefined;
  /** Writes to standard output. */
  write(text: string): Promise<void>;
  /** Writes a line to standard error. */
  tell(line: string): void;
  /** Resolves to the reason when the program must end. */
  ending: Promise<string>;
}

/** Runs the program, and returns its exit status. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    const flags = readFlags(args);
    if (!flags.help && !flags.version) return await test(flags, surroundings);
    await surroundings.write(`${flags.help ? HELP : `conformance ${VERSION}`}\n`);
    return 0;
  } catch (error) {
    // No message quotes the key, nor an address, which may have a password.
    surroundings.tell(`conformance: ${(error as Error).message.split("\n")[0]}`);
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

async function test(flags: Flags, { environment, write, tell, ending }: Surroundings): Promise<number> {
  const pets: Pets = { ids: new Set(), unknown: 0 };
  const target: ConformanceTarget = {
    baseUrl: flags.address,
    key: readKey(flags, environment),
    onCreate: (id) => void (id === undefined ? pets.unknown++ : pets.ids.add(id)),
  };
  const cases = select(conformanceCases(target), flags);
  const url = flags.address.replace(/\/$/, "");
  const why = await whyNoPetstore(target);
  if (why !== undefined) throw new Error(`${url} ${why}`);
  const results: Result[] = [];
  /** Why not all cases have run. */
  let reason: string | undefined;
  for (const each of cases) {
    const result = await Promise.race([runCase(each), ending]);
    if (typeof result === "string") {
      reason = result;
      break;
    }
    results.push(result);
    if (!flags.json) await write(`${describeResult(result)}\n`);
  }
  // The ids are texts in JSON, because many readers round an int64.
  const report = { url, cases: results, petIds: Array.from(pets.ids, String), unknownPets: pets.unknown };
  await write(`${flags.json ? JSON.stringify(report) : summarize(results)}\n`);
  if (reason !== undefined) tell(`conformance: not all cases have run: ${reason}`);
  tell(describePets(pets));
  return reason !== undefined || results.some(({ outcome }) => outcome === "fail") ? 1 : 0;
}

async function runCase({ run, ...topic }: ConformanceCase): Promise<Result> {
  try {
    const reason = await run();
    return { ...topic, outcome: reason === undefined ? "pass" : "skip", reason };
  } catch (error) {
    const { reason, exchange } = error as ConformanceError;
    return { ...topic, outcome: "fail", reason, exchange };
  }
}

function readKey(flags: Flags, environment: Surroundings["environment"]): string {
  const path = flags["key-file"];
  const text = path === undefined ? flags.key ?? environment("PETSTORE_KEYS") ?? "" : readFileSync(path, "utf8");
  const key = text.split(",").map((each) => each.trim()).find((each) => each !== "" && !each.startsWith("sha256:"));
  if (key === undefined) throw new Error("Name the key to send, in clear text, by --key-file, PETSTORE_KEYS or --key");
  return key;
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
