/**
 * A test runner of Stryker: the tests of node:test in one process, one by one. Stryker so learns which tests reach a mutant, and
 * a mutant takes milliseconds. Stryker's own runner for such tests starts a process for each file.
 */

import type { InstrumenterContext } from "@stryker-mutator/api/core";
import { declareFactoryPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
} from "@stryker-mutator/api/test-runner";
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { beginFile, collected, type CollectedTest } from "./node_test.ts";

const NODE_TEST = import.meta.resolve("./node_test.ts");
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "node:test" && context.parentURL !== NODE_TEST
      ? { url: NODE_TEST, shortCircuit: true }
      : next(specifier, context),
});

/** What the mutated code and Stryker share. */
const shared: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: shared });

/** The first error that no one awaited: the test that runs fails by it, as it does in node:test. */
let stray: { error: unknown } | undefined;
process.on("unhandledRejection", (error) => stray ??= { error });
process.on("uncaughtException", (error) => stray ??= { error });

const { files, without } = JSON.parse(process.env["MUTATION_TESTS"]!) as { files: string[]; without: string };
const tests = new Map<string, CollectedTest>();
const idsOfFile = new Map<string, string[]>();

/** The ids of a file's tests. */
async function load(file: string): Promise<string[]> {
  const known = idsOfFile.get(file);
  if (known) return known;
  beginFile();
  const first = collected.length;
  await import(pathToFileURL(resolve(file)).href);
  const ids: string[] = [];
  for (const [i, test] of collected.slice(first).entries()) {
    if (new RegExp(without).test(test.name)) continue;
    const id = `${file} ${i + 1}: ${test.name}`;
    tests.set(id, test);
    ids.push(id);
  }
  idsOfFile.set(file, ids);
  return ids;
}

async function loadAll(): Promise<void> {
  for (const file of files) await load(file);
}

async function runTest(id: string): Promise<TestResult> {
  shared.currentTestId = id;
  stray = undefined;
  const start = performance.now();
  const { hung, stop } = watch();
  const failure = await Promise.race([tests.get(id)!.run(), hung]).then(() => undefined, (error) => ({ error }));
  stop();
  // Rejections without a handler are reported a turn later.
  await new Promise((resolve) => setImmediate(resolve));
  const failed = failure ?? stray;
  const result = { id, name: id, timeSpentMs: performance.now() - start };
  if (!failed) return { ...result, status: TestStatus.Success };
  return { ...result, status: TestStatus.Failed, failureMessage: `${id}: ${failed.error}` };
}

/** How long nothing must be left to wait for, in steps of 50 ms: a digest that is being computed is not seen. */
const IDLE_STEPS = 20;

/** How many there are without a test. Counted at the first: earlier, the connection to Stryker is still being made. */
let ownResources: number | undefined;

/** Rejects if nothing is left that could settle a test's promise. node:test ends then too. */
function watch(): { hung: Promise<never>; stop(): void } {
  ownResources ??= process.getActiveResourcesInfo().length;
  const { promise: hung, reject } = Promise.withResolvers<never>();
  let idle = 0;
  const timer = setInterval(() => {
    idle = process.getActiveResourcesInfo().length > ownResources! ? 0 : idle + 1;
    if (idle === IDLE_STEPS) reject(new Error("The event loop is empty, and the test has not ended"));
  }, 50);
  timer.unref();
  return { hung, stop: () => clearInterval(timer) };
}

class OneProcess implements TestRunner {
  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<DryRunResult> {
    await loadAll();
    const results: TestResult[] = [];
    for (const id of tests.keys()) results.push(await runTest(id));
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: shared.mutantCoverage! };
  }

  async mutantRun(
    { activeMutant, hitLimit, mutantActivation, testFilter }: MutantRunOptions,
  ): Promise<MutantRunResult> {
    const isStatic = mutantActivation === "static";
    if (!isStatic) await loadAll();
    Object.assign(shared, {
      hitCount: hitLimit === undefined ? undefined : 0,
      hitLimit,
      activeMutant: activeMutant.id,
    });
    let count = 0;
    for (const file of files) {
      const ids = await load(file).catch(String);
      if (typeof ids === "string") return killed(`${file}: ${ids}`);
      for (const id of ids) {
        if (testFilter && !testFilter.includes(id)) continue;
        count++;
        const result = await runTest(id);
        // Stryker ends a loop that runs a hundred times as often as without the mutant. That is counted, not timed.
        if (shared.hitCount! > hitLimit!) return killed(`${id}: an endless loop`);
        if (result.status !== TestStatus.Failed) continue;
        if (!isStatic) await requireClean(id);
        return killed(result.failureMessage);
      }
    }
    return { status: MutantRunStatus.Survived, nrOfTests: count };
  }
}

function killed(failureMessage: string): MutantRunResult {
  return { status: MutantRunStatus.Killed, killedBy: [], failureMessage, nrOfTests: 1 };
}

/** Throws if a test still fails without the mutant, which has then left something behind: Stryker starts another process. */
async function requireClean(id: string): Promise<void> {
  Object.assign(shared, { activeMutant: undefined, hitLimit: undefined });
  if ((await runTest(id)).status === TestStatus.Failed) throw new Error(`The mutant has left something behind: ${id}`);
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, "one-process", () => new OneProcess()),
];
