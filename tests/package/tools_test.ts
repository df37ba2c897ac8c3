/** What other people's tools say of the package. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { withTempFolder } from "../support/temp.ts";
import { bun, TARBALL, withProject } from "./support/project.ts";
import { run } from "./support/run.ts";
import { BUN, fileOf, NODE, versionOf } from "./support/runtimes.ts";

/** Runs a test that needs a runtime, or says why it cannot. */
function testWith({ skip }: { skip: string | false }, title: string, run: () => Promise<void>): void {
  test(skip ? `${title} (skipped: ${skip})` : title, { skip }, run);
}

testWith(NODE, "publint has nothing to say, not even a suggestion", () =>
  withTempFolder(async (folder) => {
    const tool = fileOf("publint", versionOf("publint"), "src/cli.js");
    const { status, stdout, stderr } = await run(NODE.command, [tool, "run", "--strict", TARBALL], folder);
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /All good!\s*$/);
    assert.doesNotMatch(stdout, /Suggestions|Warnings|Errors/);
  }));

testWith(
  NODE,
  "@arethetypeswrong finds the types of every entry point right, by import and by require",
  () =>
    withTempFolder(async (folder) => {
      const tool = fileOf("@arethetypeswrong/cli", versionOf("@arethetypeswrong/cli"), "dist/index.js");
      // It does not know that require() takes ES modules since Node 22.12, which the other tests show. The resolution that
      // the profile leaves out is older than `exports` is, and gone from TypeScript 7.
      const args = [tool, TARBALL, "--profile", "node16", "--ignore-rules", "cjs-resolves-to-esm", "--format", "json"];
      const { status, stdout, stderr } = await run(NODE.command, args, folder);
      assert.equal(status, 0, stdout + stderr);
      const { analysis } = JSON.parse(stdout);
      assert.deepEqual(Object.keys(analysis.entrypoints), [".", "./postgres", "./sqlite", "./node", "./package.json"]);
      assert.deepEqual(analysis.types, { kind: "included" });
    }),
);

testWith(
  BUN,
  "a bundler for browsers takes the package, and leaves out what is not used",
  () =>
    withProject(bun(BUN), async (folder) => {
      const built = await run(BUN.command, ["build", "--target=browser", "web.mjs", "--outfile=web.js"], folder);
      assert.equal(built.status, 0, built.stderr);
      const bundle = readFileSync(join(folder, "web.js"), "utf8");
      // A handler, a key check and stores are in it only if formatPet() drags them in.
      assert.doesNotMatch(bundle, /pk_|WWW-Authenticate|crypto|openapi|node:/i);
      assert.ok(bundle.length < 5000, `${bundle.length} characters`);
      const { stdout } = await run(BUN.command, ["run", "web.js"], folder);
      assert.equal(stdout, '{"id":1,"name":"Luna","categoryId":9223372036854775807,"status":"sold"}\n');
    }),
);
