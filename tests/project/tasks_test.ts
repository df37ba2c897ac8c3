/** Tasks of deno.json, as a person types them. The gate, a workflow or another test runs the others. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Child } from "../support/system/child.ts";
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

async function type(task: string, args: string): Promise<string> {
  const words = ["task", "--quiet", task, ...args.split(" ").filter((word) => word !== "")];
  const signal = AbortSignal.timeout(60_000);
  const options = { args: words, env: { NO_COLOR: "1" }, stdin: "null", signal } as const;
  const { stdout, stderr } = await new Deno.Command("deno", options).output();
  return [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
}

for (const [task, [args, shows]] of Object.entries(TYPED)) {
  test(`deno task ${task} ${args}`.trim(), async () => assert.match(await type(task, args), shows));
}

test("deno task dev serves", async () => {
  const args = ["task", "--quiet", "dev", "--port=0", "--store=memory:", "--key=pk_test", "--log=off"];
  await using server = new Child("deno", args, {});
  await server.printed(/listens on http/);
  let hasEnded = false;
  server.ended.then(() => hasEnded = true);
  // Deno loses a signal that comes while it starts a watched program anew. A person would press Ctrl-C once more.
  await until("the end after SIGINT", async () => {
    server.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return hasEnded;
  });
});
