/**
 * Makes one slip at a time in a copy of the project, two at once, and shows which test notices it: first of the tests that are near,
 * which must pass without a slip, and for what these miss of all everyday tests. A test that says nothing for too long has noticed
 * too, and is named.
 */

import { fileURLToPath } from "node:url";
import { EVERYDAY } from "../../test/parts.ts";
import { SLIPS } from "./all.ts";
import type { Slip } from "./slip.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const LANES = 2;

/** In milliseconds. Far beyond the longest test, on a busy machine too. */
const SILENCE = 180_000;

/** Of 100 slips, so many must be noticed by the everyday tests. */
const FLOOR = 95;

/** The cases of the contracts, each on one store. */
const CASES: readonly string[] = ["published", "published_sqlite"];

interface Verdict {
  slip: Slip;
  by: "near" | "everyday" | "integration" | "nothing";
  /** The test that failed, and where it is. */
  test: string;
}

/** Returns an exit status: 1 if too few slips were noticed. With texts, only slips whose file or promise has one of them. */
export async function runSlips(texts: readonly string[]): Promise<number> {
  const chosen = SLIPS.filter(({ file, promise }) =>
    texts.length === 0 || texts.some((text) => file.includes(text) || promise.includes(text))
  );
  const folders = Array.from({ length: LANES }, () => Deno.makeTempDirSync({ prefix: "slips-" }));
  try {
    await Promise.all(folders.map(copyProject));
    const controls = [...new Set(chosen.map(({ first }) => first))].map((first): Slip => ({ ...CONTROL, first }));
    const failed = (await judgeAll(controls, folders, nearTests)).filter(({ by }) => by !== "nothing");
    if (failed.length > 0) return 1;
    const near = await judgeAll(chosen, folders, nearTests);
    const missed = near.filter(({ by }) => by === "nothing").map(({ slip }) => slip);
    const verdicts = [...near.filter(({ by }) => by !== "nothing"), ...await judgeAll(missed, folders, otherTests)];
    const count = (...by: Verdict["by"][]) => verdicts.filter((verdict) => by.includes(verdict.by)).length;
    const everyday = count("near", "everyday"), unnoticed = count("nothing");
    console.log(
      `${chosen.length} slips: ${everyday} noticed by the everyday tests (${count("near")} by those near), ` +
        `${count("integration")} by integration, ${unnoticed} by nothing`,
    );
    return unnoticed > 0 || 100 * everyday < FLOOR * chosen.length ? 1 : 0;
  } finally {
    for (const folder of folders) await Deno.remove(folder, { recursive: true });
  }
}

const CONTROL: Slip = { promise: "control: all is as it was", file: "mod.ts", before: "", after: "", first: "" };

/** The commands of a stage, and who notices if one fails. */
type Stage = (slip: Slip) => [by: Verdict["by"], ...commands: string[]];

const nearTests: Stage = ({ first }) => {
  const files = first.split(" ").map((name) => CASES.includes(name) ? `../${name}_test.ts` : `tests/${name}_test.ts`);
  return ["near", `deno test -A --no-check ${files.join(" ")}`];
};

const otherTests: Stage = ({ integration }) =>
  integration ? ["integration", `deno test -A --no-check ${integration}`] : ["everyday", ...Object.values(EVERYDAY)];

async function judgeAll(slips: readonly Slip[], folders: readonly string[], stage: Stage): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = slips.values();
  await Promise.all(folders.map(async (folder) => {
    for (const slip of waiting) {
      const begin = performance.now();
      const verdict = await judge(slip, `${folder}/project`, stage(slip));
      verdicts.push(verdict);
      const seconds = Math.round((performance.now() - begin) / 1000), { by, test } = verdict;
      console.log(`${by} (${seconds} s): ${slip.file}: ${slip.promise}${test && `\n  ${test}`}`);
    }
  }));
  return verdicts;
}

async function judge(
  slip: Slip,
  project: string,
  [by, ...commands]: ReturnType<Stage>,
): Promise<Verdict> {
  const path = `${project}/${slip.file}`;
  const source = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, source.replace(slip.before, () => slip.after));
  try {
    for (const command of commands) {
      const test = await failureOf(command.replace("deno test", "deno test --fail-fast"), project);
      if (test !== undefined) return { slip, by, test };
    }
    return { slip, by: "nothing", test: "" };
  } finally {
    await Deno.writeTextFile(path, source);
  }
}

/** What git knows or does not ignore but the test of the slips, and the packages, as links where the file system has them. */
async function copyProject(folder: string): Promise<void> {
  const project = `${folder}/project`;
  await Deno.mkdir(project);
  const script = `git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$1" &&
    { cp -al node_modules "$1" 2>/dev/null || cp -a node_modules "$1"; }`;
  const { success, stderr } = await new Deno.Command("sh", { args: ["-c", script, "sh", project], cwd: ROOT }).output();
  if (!success) throw new Error(`The project cannot be copied: ${new TextDecoder().decode(stderr)}`);
  // Each slip would fail it.
  await Deno.remove(`${project}/tests/project/slips_test.ts`);
  // Deno runs no test of a folder that the configuration excludes.
  for (const name of CASES) {
    const file = `import ${JSON.stringify(`${project}/tools/mutation/${name}.ts`)};`;
    await Deno.writeTextFile(`${folder}/${name}_test.ts`, file);
  }
}

/** The name of the test that fails or hangs; undefined if all pass. */
async function failureOf(command: string, cwd: string): Promise<string | undefined> {
  // A process group of its own, so that the servers of a test that hangs end with it.
  const args = [Deno.execPath(), "task", "--quiet", "--eval", command];
  const child = new Deno.Command("setsid", {
    ...{ args, cwd, env: { NO_COLOR: "1" }, stdin: "null", stdout: "piped", stderr: "null" },
  }).spawn();
  let text = "", isHung = false;
  const kill = () => {
    isHung = true;
    new Deno.Command("kill", { args: ["-KILL", "--", `-${child.pid}`] }).outputSync();
  };
  let timer = setTimeout(kill, SILENCE);
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += piece;
    clearTimeout(timer);
    timer = setTimeout(kill, SILENCE);
  }
  clearTimeout(timer);
  const { success } = await child.status;
  if (isHung) return `hung: ${text.trimEnd().split("\n").at(-1)}`;
  if (success) return undefined;
  return /^(?: FAILURES|FAILURES) *\n\n(.+ => .+)$/m.exec(text)?.[1] ?? text.trimEnd().split("\n").slice(-3).join(" ");
}
