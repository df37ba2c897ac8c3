/** The folders of the tests and tools: each test runs, and others import support and contract alone. */

import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { EVERYDAY, HEAVY, PACKAGES } from "../../tools/test/parts.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The folder of a test: of `tests/heavy`, one below. */
function folderOf(path: string): string {
  return path.split("/", path.startsWith("tests/heavy/") ? 3 : 2).join("/");
}

test("a part of the tests names every folder, or the folder has a configuration of its own", () => {
  const parts = Object.values({ ...EVERYDAY, ...HEAVY, ...PACKAGES });
  const commands = parts.map(({ command }) => command).join(" ");
  const isInstalled = (name: string) => name === "node_modules";
  const folders = globSync("{bench,tests,tools}/*/**/*_test.ts", { cwd: ROOT, exclude: isInstalled })
    .map(folderOf);
  for (const folder of new Set(folders)) {
    if (existsSync(join(ROOT, folder, "deno.json"))) continue;
    assert.match(commands, new RegExp(`deno test [^&]*\\b${folder}\\b`), `no part runs ${folder}`);
  }
});

test("tests import their own folder, tests/support and tests/contract; tools and tests/support import tests/support alone", async () => {
  const found: string[] = [];
  for (const path of globSync("{tests,tools}/**/*.ts", { cwd: ROOT, exclude: (name) => name === "node_modules" })) {
    const own = folderOf(path);
    const isTool = path.startsWith("tools/") || own === "tests/support";
    const allowed = isTool ? ["tests/support"] : [own, "tests/support", "tests/contract"];
    const code = await Deno.readTextFile(join(ROOT, path));
    for (const [, specifier = ""] of code.matchAll(/\bfrom "(\.{1,2}\/[^"]+)"/g)) {
      const target = normalize(join(dirname(path), specifier));
      const isAbove = target.startsWith("tools/") && path.startsWith("tests/support/");
      if (isAbove || target.startsWith("tests/") && !allowed.includes(folderOf(target))) {
        found.push(`${path} → ${specifier}`);
      }
    }
  }
  // The pages of hosts.md show the programs of both.
  assert.deepEqual(
    found.filter((line) => !/^(tests\/heavy\/(hosts|edge)|tools\/docs)\/.*\/(hosts|edge)\//.test(line)),
    [],
  );
});

test("an import map of a folder of tests or tools names files of that folder alone", () => {
  // `deno install` takes a file above for a package of its own, and writes its dependencies into the folder's deno.lock.
  for (const path of globSync("{tests/heavy,tools}/*/deno.json", { cwd: ROOT })) {
    const { imports = {} } = JSON.parse(Deno.readTextFileSync(join(ROOT, path)));
    const above = Object.values<string>(imports).filter((target) => target.startsWith("../"));
    assert.deepEqual(above, [], path);
  }
});
