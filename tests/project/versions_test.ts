/** What several folders with a deno.json of their own name must have one version. */

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDERS = [
  "deno.json",
  "{packages,tools}/*/deno.json",
  "tests/heavy/*/deno.json",
  "packages/*/tests/heavy/deno.json",
];

test("Node, its types and the other packages that several folders have are of one version in all of them", () => {
  const seen = new Map<string, string>();
  const found: string[] = [];
  for (const path of globSync(FOLDERS, { cwd: ROOT }).sort()) {
    const { imports = {} } = JSON.parse(Deno.readTextFileSync(ROOT + path)) as { imports?: Record<string, string> };
    // A name with a number is one of several versions that are tested on purpose, and a range is for users.
    for (const [name, target] of Object.entries(imports).filter(([, target]) => target.startsWith("npm:"))) {
      if (/\d$/.test(name) || target.includes("@^")) continue;
      const other = seen.get(name) ?? target;
      if (other !== target) found.push(`${path}: ${target}, elsewhere ${other}`);
      seen.set(name, target);
    }
  }
  assert.deepEqual(found, []);
  assert.ok(seen.size > 40);
});
