/** Node and Bun, which are development packages, and test files on them. Deno only. */

import assert from "node:assert/strict";
import { ROOT } from "./pages.ts";
import { NODE } from "./server/serve_task.ts";
import { skipUnless } from "./system/commands.ts";

const { os, arch } = Deno.build;

export const BUN = `${ROOT}node_modules/.deno/node_modules/@oven/bun-${os}-${arch === "x86_64" ? "x64" : arch}/bin/bun`;

/**
 * Where Node keeps modules without their types: otherwise each of hundreds of threads would compile
 * the store again.
 */
const CACHE = `${ROOT}node_modules/.cache/node`;

/** Fills the cache before the first thread starts. */
const FILL = `import "${new URL("../../lib/stores/sqlite/writer.ts", import.meta.url)}";
import { flushCompileCache } from "node:module"; flushCompileCache();`;

/** A runtime that runs the tests of `node:test`. */
interface TestRuntime {
  name: string;
  command: string;
  args: string[];
  /** Why it cannot run here. */
  skip: string | false;
}

/** Leads the names of the packages to this checkout. */
const NAMES = `${ROOT}tests/support/names.mjs`;

/** How long a run of tests may take, in milliseconds. A test that hangs is then a failure, and not a gate without an end. */
const RUN_LIMIT_MS = 300_000;

/** How a Node runs tests: in one process, because a process for each file takes half as much time again. */
export const NODE_TEST = [
  "--disable-warning=ExperimentalWarning",
  `--import=${NAMES}`,
  `--import=data:text/javascript,${encodeURIComponent(FILL)}`,
]
  .concat("--test", "--experimental-test-isolation=none", "--test-reporter=tap");

export const TEST_RUNTIMES: readonly TestRuntime[] = [
  { name: "Node 24", command: NODE, args: NODE_TEST },
  // Its own limit for a test is five seconds, which a busy machine exceeds.
  { name: "Bun", command: BUN, args: ["test", "--timeout=60000"] },
].map((runtime) => ({
  ...runtime,
  skip: skipUnless([runtime.command]),
}));

/**
 * Runs test files, of which all must pass.
 *
 * @param files Paths relative to the root, `./` included.
 * @param options.without What the names of the tests that are left out have. Default: none.
 * @returns The names of the tests that have run.
 */
export async function runTests(
  { command, args }: Pick<TestRuntime, "command" | "args">,
  files: readonly string[],
  { without, env = {} }: { without?: string; env?: Record<string, string> } = {},
): Promise<string[]> {
  // Node's pattern of names matches the root of all tests, if it excludes, and then every test. Bun
  // has no pattern to skip.
  const skip = command === BUN ? `--test-name-pattern=^(?!.*(${without}))` : `--test-skip-pattern=${without}`;
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args, ...(without === undefined ? [] : [skip]), ...files],
    cwd: ROOT,
    env: { ...env, NODE_COMPILE_CACHE: CACHE },
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(RUN_LIMIT_MS),
  }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.ok(success, failures(output));
  const passed = output.matchAll(/^ *(?:ok \d+ - |\(pass\) )(.*?)(?: \[\d.*\])?$/gm);
  return Array.from(passed, ([, name = ""]) => name).filter((name) => !name.includes(" # SKIP"));
}

function failures(output: string): string {
  const lines = output.split("\n").filter((line) => /^\s*(not ok|\(fail\)|error:|.*Error:)/.test(line));
  return lines.slice(0, 40).join("\n") || output.slice(-3000);
}
