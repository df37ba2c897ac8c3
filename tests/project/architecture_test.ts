/** The rules of the architecture, and what a package must not get wrong. */

import assert from "node:assert/strict";
import test from "node:test";
import config from "../../deno.json" with { type: "json" };
import { VERSION } from "../../lib/version.ts";

const ROOT = new URL("../../", import.meta.url);

/** The specifiers that a module imports, types included. */
async function importsOf(path: string): Promise<string[]> {
  const source = await Deno.readTextFile(new URL(path, ROOT));
  return [...source.matchAll(/^(?:import|export)\s[^;]*?from\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm)]
    .map(([, from, dynamic]) => from ?? dynamic ?? "");
}

/** The files that a module reaches by relative imports, itself included. */
async function reachOf(path: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const specifier of await importsOf(path)) {
    if (!specifier.startsWith(".")) continue;
    await reachOf(new URL(specifier, new URL(path, ROOT)).href.slice(ROOT.href.length), seen);
  }
  return seen;
}

async function sourcesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) found.push(...await sourcesBelow(`${folder}${name}/`));
    else if (name.endsWith(".ts")) found.push(folder + name);
  }
  return found;
}

test("mod.ts and all that it reaches use web-standard APIs alone", async () => {
  const reach = await reachOf("mod.ts");
  assert.ok(reach.size > 15);
  for (const path of reach) {
    const foreign = (await importsOf(path)).filter((specifier) => !specifier.startsWith("."));
    assert.deepEqual(foreign, [], path);
    // Examples in comments may use more.
    const code = (await Deno.readTextFile(new URL(path, ROOT))).replaceAll(/\/\*\*?[^]*?\*\/|^\s*\/\/.*$/gm, "");
    assert.doesNotMatch(code, /\b(Deno|Bun|process|Buffer|require)\b\s*[.(]/, path);
  }
});

test("each runtime's own APIs are used only where the architecture says", async () => {
  for (const path of await sourcesBelow("lib/")) {
    const specifiers = await importsOf(path);
    const code = await Deno.readTextFile(new URL(path, ROOT));
    if (!path.startsWith("lib/server/")) assert.doesNotMatch(code, /\bDeno\.[a-z]/, path);
    if (!path.startsWith("lib/stores/sqlite/")) assert.ok(!specifiers.includes("node:sqlite"), path);
    if (path.startsWith("lib/http/") || path === "lib/pet.ts" || path === "lib/json.ts") {
      assert.ok(!specifiers.some((specifier) => /stores|server|service|openapi/.test(specifier)), path);
    }
    if (path.startsWith("lib/stores/")) assert.ok(!specifiers.some((specifier) => specifier.includes("http/")), path);
    assert.ok(!specifiers.some((specifier) => /^(npm|jsr|https?):/.test(specifier)), path);
    assert.doesNotMatch(code, /"npm:/, path);
  }
});

test("the version is the same in deno.json, in the code and at the top of the CHANGELOG", async () => {
  const changelog = await Deno.readTextFile(new URL("CHANGELOG.md", ROOT));
  assert.equal(VERSION, config.version);
  assert.equal(changelog.match(/^## \[(\d+\.\d+\.\d+)\]/m)?.[1], VERSION);
});

test("deno.lock names no host", async () => {
  assert.doesNotMatch(await Deno.readTextFile(new URL("deno.lock", ROOT)), /https?:\/\//);
});
