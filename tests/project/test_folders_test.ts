/** The folders of the tests: each runs, and none but support and contract is imported by others. */

import assert from "node:assert/strict";
import { existsSync, globSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { EVERYDAY, INTEGRATION } from "../../tools/test/parts.ts";

const TESTS = fileURLToPath(new URL("../", import.meta.url));

test("a part of the tests names every folder, or the folder has a configuration of its own", () => {
  const commands = Object.values({ ...EVERYDAY, ...INTEGRATION }).join(" ");
  const folders = readdirSync(TESTS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    if (globSync(`${name}/**/*_test.ts`, { cwd: TESTS }).length === 0 || existsSync(join(TESTS, name, "deno.json"))) {
      continue;
    }
    assert.match(commands, new RegExp(`deno test [^&]*\\btests/${name}\\b`), `no part runs tests/${name}`);
  }
});

test("test folders import from tests/support, tests/contract and themselves, and tests/support from itself alone", async () => {
  const found: string[] = [];
  for (const path of globSync("**/*.ts", { cwd: TESTS, exclude: (name) => name === "node_modules" })) {
    const own = path.split("/")[0];
    const allowed = own === "support" ? [own] : [own, "support", "contract"];
    const code = await Deno.readTextFile(join(TESTS, path));
    for (const [, specifier = ""] of code.matchAll(/\bfrom "(\.{1,2}\/[^"]+)"/g)) {
      const target = normalize(join("tests", dirname(path), specifier)).split("/");
      if (target[0] === "tests" && !allowed.includes(target[1])) found.push(`${path} → ${specifier}`);
    }
  }
  // The pages of hosts.md show the programs of both.
  assert.deepEqual(found.filter((line) => !/^(hosts|edge)\/.*\.\.\/(hosts|edge)\//.test(line)), []);
});

test("an import map of a test folder names files of that folder alone", () => {
  // `deno install` takes a file above for a package of its own, and writes its dependencies into the folder's deno.lock.
  for (const path of globSync("*/deno.json", { cwd: TESTS })) {
    const { imports = {} } = JSON.parse(Deno.readTextFileSync(join(TESTS, path)));
    const above = Object.values<string>(imports).filter((target) => target.startsWith("../"));
    assert.deepEqual(above, [], path);
  }
});
