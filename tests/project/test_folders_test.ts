/** Each test of the repository runs in a part of the tests. */

import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EVERYDAY, HEAVY, PACKAGES } from "../../tools/test/parts.ts";
import { ROOT } from "../support/pages.ts";

/** The folder of a test: of `tests/heavy`, one below. */
function folderOf(path: string): string {
  return path.split("/", path.startsWith("tests/heavy/") ? 3 : 2).join("/");
}

test("a part of the tests names every folder, or the folder has a configuration of its own", () => {
  const parts = Object.values({ ...EVERYDAY, ...HEAVY, ...PACKAGES });
  const commands = parts.map(({ command }) => command).join(" ");
  const isInstalled = (name: string) => name === "node_modules";
  const tests = globSync("{bench,tests,tools}/*/**/*_test.ts", { cwd: ROOT, exclude: isInstalled });
  for (const folder of new Set(tests.map(folderOf))) {
    if (existsSync(join(ROOT, folder, "deno.json"))) continue;
    assert.match(commands, new RegExp(`deno test [^&]*\\b${folder}\\b`), `no part runs ${folder}`);
  }
});
