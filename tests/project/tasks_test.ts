/** Every task of deno.json, as a person types it. */

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import config from "../../deno.json" with { type: "json" };
import { Child } from "../support/system/child.ts";
import { withTempFolder } from "../support/temp.ts";
import { until } from "../support/until.ts";

/** The arguments that are typed, and what the task then prints first. */
const TYPED: Record<string, readonly [args: string, shows: RegExp]> = {
  petstore: ["--version", /^petstore \d/],
  test: ["nothing", /There is no part nothing; the parts are /],
  "test:all": ["nothing", /There is no part nothing; the parts are /],
  bench: ["--help", /^deno task bench \[options\]/m],
  "release:notes": ["", /^The first release: /],
  smoke: ["", /^The server started, kept pet 1, and stopped twice on /],
  "release:prepare": ["", /^release:prepare: A version is like 1\.2\.3/],
  "doc:lint": ["", /^Checked \d+ files/m],
  install: ["", /^$/],
};

/**
 * The examples of README.md type `serve`, `petstore` above runs `program`, and the others take too
 * long here: the gate, a workflow, or a part of all tests runs each of them.
 */
const ELSEWHERE = [
  "serve",
  "program",
  "pack",
  "docs",
  "viewer",
  "release:check",
  "publish",
  "release:rehearse",
  "types",
  "ok",
];

async function type(task: string, args: string, cwd?: string): Promise<string> {
  const words = ["task", "--quiet", task, ...args.split(" ").filter((word) => word !== "")];
  const env = { NO_COLOR: "1" };
  const limit = { signal: AbortSignal.timeout(60_000) };
  const options = { args: words, env, stdin: "null", ...limit, ...(cwd !== undefined && { cwd }) } as const;
  const { stdout, stderr } = await new Deno.Command("deno", options).output();
  return [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
}

for (const [task, [args, shows]] of Object.entries(TYPED)) {
  test(`deno task ${task} ${args}`.trim(), async () => assert.match(await type(task, args), shows));
}

test("deno task fmt formats every file, also of the folders with a deno.json of their own", () =>
  withTempFolder(async (folder) => {
    copyFileSync("deno.json", join(folder, "deno.json"));
    mkdirSync(join(folder, "inner"));
    writeFileSync(join(folder, "inner", "deno.json"), "{}\n");
    const files = ["a.ts", "inner/b.ts"].map((name) => join(folder, name));
    for (const file of files) writeFileSync(file, "const a=1\n");
    assert.match(await type("fmt", "--check", folder), /not formatted/);
    await type("fmt", "", folder);
    for (const file of files) assert.equal(readFileSync(file, "utf8"), "const a = 1;\n");
    assert.doesNotMatch(await type("fmt", "--check", folder), /not formatted/);
  }));

test("deno task dev serves", async () => {
  const args = ["task", "--quiet", "dev", "--port=0", "--store=memory:", "--key=pk_test", "--log=off"];
  await using server = new Child("deno", args, {});
  await server.printed(/listens on http/);
  let hasEnded = false;
  server.ended.then(() => hasEnded = true);
  // Deno loses a signal that comes while it starts a watched program anew. A person would press Ctrl-C once more.
  await until("the end after SIGINT", () => {
    if (!hasEnded) server.kill("SIGINT");
    return hasEnded;
  });
});

test("each task is run here or elsewhere", () => {
  const known = [...Object.keys(TYPED), ...ELSEWHERE, "fmt", "dev", "program:watched"];
  assert.deepEqual(known.toSorted(), Object.keys(config.tasks).toSorted());
});
