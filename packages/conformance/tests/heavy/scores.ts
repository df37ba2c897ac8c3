/** Tests the servers of others by the program, and prints the table of the cases that they pass, with those that they fail. */

import { Child } from "../../../../tests/support/system/child.ts";
import { ROOT } from "../../../../tests/support/server/serve_task.ts";
import { withTempFolder } from "../../../../tests/support/temp.ts";
import { KEY, type Other, OTHERS, withOther } from "./others.ts";

/** @param program Its path from the root of the repository. */
async function run(program: string, args: readonly string[], folder: string): Promise<string> {
  const flags = ["run", "--quiet", "-A", `--config=${ROOT}deno.json`];
  await using child = new Child(Deno.execPath(), [...flags, `${ROOT}${program}`, ...args], { cwd: folder });
  // A run of all cases may take longer than other processes.
  const status = await child.ended;
  const { stdout, stderr } = child.written;
  if (status > 1) throw new Error(stderr);
  return stdout;
}

interface Case {
  level: string;
  name: string;
  outcome: "pass" | "fail" | "skip";
}

/** The result of one server. */
export interface Score {
  /** What passes of the specification and of the additions. */
  row: string[];
  /** The cases of the specification that fail. */
  failed: string[];
}

async function score(other: Other, description: string): Promise<Score> {
  const levels = other.isSpecifiedOnly ? ["--level=specification"] : [];
  return await withTempFolder((folder) =>
    withOther(other, { description, folder }, async (baseUrl) => {
      const { cases } = JSON.parse(
        await run("packages/conformance/cli.ts", [baseUrl, `--key=${KEY}`, ...levels, "--json"], folder),
      ) as { cases: Case[] };
      const cells = ["specification", "full"].map((level) => {
        const run = cases.filter((each) => each.level === level && each.outcome !== "skip");
        return run.length === 0 ? "–" : `${run.filter(({ outcome }) => outcome === "pass").length} of ${run.length}`;
      });
      const failed = cases.filter(({ level, outcome }) => level === "specification" && outcome === "fail");
      return { row: [other.name, ...cells], failed: failed.map(({ name }) => name) };
    })
  );
}

export async function scoreAll(): Promise<Score[]> {
  return await withTempFolder(async (folder) => {
    const description = `${folder}/openapi.json`;
    Deno.writeTextFileSync(description, await run("server.ts", ["openapi"], folder));
    const scores: Score[] = [];
    for (const other of OTHERS.filter(({ missing }) => !missing)) scores.push(await score(other, description));
    return scores;
  });
}

/** The servers that cannot be started here, and why. */
export function missing(): [name: string, reason: string][] {
  return OTHERS.flatMap(({ name, missing }): [string, string][] => missing ? [[name, missing]] : []);
}

if (import.meta.main) {
  for (const [name, reason] of missing()) console.log(`${name} is skipped: it ${reason}`);
  for (const { row, failed } of await scoreAll()) {
    console.log(`| ${row.join(" | ")} |`);
    for (const name of failed) console.log(`    fails: ${name}`);
  }
}
