/** The rules of the architecture. */

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import test from "node:test";
import config from "../../deno.json" with { type: "json" };
import { readPage, ROOT } from "../support/pages.ts";

/** The specifiers that a module imports, types included. */
function importsOf(path: string): string[] {
  return [...readPage(path).matchAll(/^(?:import|export)\s[^;]*?from\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm)]
    .map(([, from, dynamic]) => from ?? dynamic ?? "");
}

/** The modules that a module imports by a relative path, as paths from the root. */
function relativeImportsOf(path: string): string[] {
  const relative = importsOf(path).filter((specifier) => specifier.startsWith("."));
  return relative.map((specifier) => new URL(specifier, `file:///${path}`).pathname.slice(1));
}

/** The files that a module reaches by relative imports, itself included. */
function reachOf(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const target of relativeImportsOf(path)) reachOf(target, seen);
  return seen;
}

/** The source of a module without its comments. */
function codeOf(path: string): string {
  return readPage(path).replaceAll(/\/\*\*?[^]*?\*\/|^\s*\/\/.*$/gm, "");
}

function filesBelow(folder: string): string[] {
  return globSync(`${folder}**/*.ts`, { cwd: ROOT, exclude: (name) => name === "node_modules" });
}

/** The arrows between the folders of lib/ in the picture of docs/tour.md. */
const ARROWS = Array.from(
  readPage("docs/tour.md").matchAll(/^ {2}(\w+) --> (\w+)$/gm),
  ([, from = "", to = ""]) => [from, to] as const,
);

/** Whether the arrows lead from one folder of lib/ to another. */
function leads(from: string, to: string): boolean {
  return ARROWS.some(([tail, head]) => tail === from && (head === to || leads(head, to)));
}

/**
 * The folders of lib/server, the lowest first. A module imports from its own folder and from those
 * of the lines above.
 */
const SERVER_LAYERS = [
  ["process"],
  ["first_key"],
  ["settings", "telemetry", "viewer"],
  ["serving"],
  ["commands"],
  ["deno", "node"],
];

/** The folder below `parent` that has a module, or "domain" for a module beside these folders. */
function folderOf(path: string, parent: string): string {
  return path.slice(parent.length).split("/").slice(0, -1)[0] ?? "domain";
}

/** The imports between the folders below `parent`. */
function importsBetween(parent: string): { from: string; to: string; what: string }[] {
  return filesBelow(parent).flatMap((path) =>
    relativeImportsOf(path).filter((target) => target.startsWith(parent)).map((target) => ({
      from: folderOf(path, parent),
      to: folderOf(target, parent),
      what: `${path} imports ${target}`,
    }))
  ).filter(({ from, to }) => from !== to);
}

test("the folders of lib/ import what the picture in docs/tour.md shows, and every arrow of it is an import", () => {
  const imports = importsBetween("lib/");
  for (const { from, to, what } of imports) assert.ok(leads(from, to), what);
  for (const [tail, head] of ARROWS) {
    assert.ok(imports.some(({ from, to }) => from === tail && to === head), `${tail} --> ${head}`);
  }
});

test("the folders of lib/server import from the layers below", () => {
  const layerOf = (folder: string) => {
    const layer = SERVER_LAYERS.findIndex((names) => names.includes(folder));
    assert.ok(layer >= 0, `lib/server/${folder} is in no layer`);
    return layer;
  };
  for (const { from, to, what } of importsBetween("lib/server/")) assert.ok(layerOf(to) < layerOf(from), what);
});

test("imports never lead in a circle, types included", () => {
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    assert.ok(!way.includes(path), [...way.slice(way.indexOf(path)), path].join(" → "));
    if (done.has(path) || !path.endsWith(".ts")) return;
    for (const target of relativeImportsOf(path)) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of ["lib/", "packages/*/lib/", "bench/", "tools/"].flatMap(filesBelow)) visit(path, []);
  assert.ok(done.size > 200);
});

test("mod.ts, the client and all that they reach use web standards alone, and other modules what the plan says", () => {
  const reach = reachOf("packages/client/mod.ts", reachOf("mod.ts"));
  assert.ok(reach.size > 30 && reach.has("packages/client/lib/retry.ts"));
  for (const path of new Set([...reach, ...filesBelow("lib/")])) {
    const isOfNode = !reach.has(path) && /^lib\/(stores\/sqlite|hosts\/node|server)/.test(path);
    const foreign = importsOf(path).filter((specifier) => !specifier.startsWith("."));
    assert.deepEqual(foreign.filter((specifier) => !isOfNode || !specifier.startsWith("node:")), [], path);
    assert.ok(!importsOf(path).some((specifier) => /^(\.\.\/)+packages\//.test(specifier)), path);
    // Examples in comments may use more.
    if (reach.has(path)) assert.doesNotMatch(codeOf(path), /\b(Deno|Bun|process|Buffer|require)\b\s*[.(]/, path);
    if (!path.startsWith("lib/server/deno/")) assert.doesNotMatch(codeOf(path), /\bDeno\.[a-z]/, path);
  }
});

test("a package imports the main package by its entry points alone", () => {
  const entryPoints = Object.keys(config.exports).map((entry) => config.name + entry.slice(1));
  for (const folder of config.workspace.map((path) => path.replace("./", ""))) {
    const sources = filesBelow(`${folder}/`).filter((path) => !path.startsWith(`${folder}/tests/`));
    assert.ok(sources.length > 0, folder);
    for (const path of sources) {
      const others = importsOf(path).filter((specifier) => specifier.startsWith("@petstore/"));
      assert.deepEqual(others.filter((specifier) => !entryPoints.includes(specifier)), [], path);
      assert.deepEqual(relativeImportsOf(path).filter((target) => !target.startsWith(`${folder}/`)), [], path);
    }
  }
});
