/** The rules of the architecture, and what a package must not get wrong. */

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { ERROR_STATUS } from "../../lib/error_codes.ts";
import { VERSION } from "../../lib/server/process/version.ts";
import { VERSION as CONFORMANCE_VERSION } from "../../packages/conformance/lib/version.ts";
import { sectionOf } from "../../tools/release/prepare.ts";
import { PAGES, readPage } from "../support/pages.ts";

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
  for (const target of await relativeImportsOf(path)) await reachOf(target, seen);
  return seen;
}

/** The source of a module without its comments. */
function codeOf(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT)).replaceAll(/\/\*\*?[^]*?\*\/|^\s*\/\/.*$/gm, "");
}

function filesBelow(folder: string, ending = "ts"): string[] {
  return globSync(`${folder}**/*.${ending}`, { cwd: fileURLToPath(ROOT), exclude: (name) => name === "node_modules" });
}

/** The layers of each folder. A module imports from the layers below its own and from its own folder, types included. */
const LAYERS: Record<string, string[][]> = {
  lib: [
    [""],
    ["http", "stores"],
    ["access", "hosts"],
    ["operations"],
    ["petstore"],
    ["openapi"],
    ["server"],
  ],
  "lib/server": [
    ["process"],
    ["first_key"],
    ["settings", "viewer"],
    ["service", "store_setting", "transfer"],
    ["telemetry"],
    ["serving"],
    ["commands"],
    ["deno", "node"],
  ],
};

/** Whether a module may import another, as far as the layers of this folder say. The modules beside its folders are in "". */
function isBelow(folder: string, path: string, target: string): boolean {
  if (![path, target].every((each) => each.startsWith(`${folder}/`))) return true;
  const [own, other] = [path, target].map((each) => each.slice(folder.length + 1).split("/").slice(0, -1)[0] ?? "");
  const [layer = -1, layerBelow = -1] = [own, other].map((name) =>
    LAYERS[folder]!.findIndex((names) => names.includes(name!))
  );
  assert.ok(layer >= 0 && layerBelow >= 0, `${path} or ${target} is in no layer of ${folder}`);
  return own === other || layerBelow < layer;
}

async function relativeImportsOf(path: string): Promise<string[]> {
  const relative = (await importsOf(path)).filter((specifier) => specifier.startsWith("."));
  return relative.map((specifier) => new URL(specifier, new URL(path, ROOT)).href.slice(ROOT.href.length));
}

test("imports point downwards and never in a circle, types included", async () => {
  const done = new Set<string>();
  const visit = async (path: string, way: readonly string[]): Promise<void> => {
    assert.ok(!way.includes(path), [...way.slice(way.indexOf(path)), path].join(" → "));
    if (done.has(path) || !path.endsWith(".ts")) return;
    for (const target of await relativeImportsOf(path)) {
      for (const folder of Object.keys(LAYERS)) assert.ok(isBelow(folder, path, target), `${path} imports ${target}`);
      await visit(target, [...way, path]);
    }
    done.add(path);
  };
  for (const folder of ["lib/", "bench/", "tools/"]) {
    for (const path of filesBelow(folder)) await visit(path, []);
  }
  assert.ok(done.size > 300);
});

test("a store imports the contract, what all stores share, and its own folder", async () => {
  for (const path of filesBelow("lib/stores/")) {
    const [, store, folder] = /^(lib\/stores\/(?:[a-z]+\/)?)([a-z]+\/)?/.exec(path)!;
    for (const target of await relativeImportsOf(path)) {
      const isShared = /^lib\/(stores\/)?[a-z_]+\.ts$/.test(target);
      assert.ok(isShared || target.startsWith(store!), `${path} imports ${target}`);
      // Within a store, a folder does not know the files above it.
      assert.ok(isShared || !folder || target.slice(store!.length).includes("/"), `${path} imports ${target}`);
    }
  }
});

test("mod.ts, the client and all that they reach use web-standard APIs alone", async () => {
  const reach = await reachOf("packages/client/mod.ts", await reachOf("mod.ts"));
  assert.ok(reach.size > 30 && reach.has("packages/client/lib/retry.ts"));
  for (const path of reach) {
    const foreign = (await importsOf(path)).filter((specifier) => !specifier.startsWith("."));
    assert.deepEqual(foreign, [], path);
    // Examples in comments may use more.
    assert.doesNotMatch(codeOf(path), /\b(Deno|Bun|process|Buffer|require)\b\s*[.(]/, path);
  }
});

test("the house imports no package, and a package imports the house by its entry points alone", async () => {
  const entryPoints = Object.keys(config.exports).map((entry) => config.name + entry.slice(1));
  for (const path of ["mod.ts", "server.ts", ...filesBelow("lib/")]) {
    for (const specifier of await importsOf(path)) assert.doesNotMatch(specifier, /^@petstore\/|\bpackages\//, path);
  }
  for (const member of config.workspace) {
    const folder = `${member.replace("./", "")}/`;
    const sources = filesBelow(folder).filter((path) => !path.startsWith(`${folder}tests/`));
    assert.ok(sources.length > 0, folder);
    for (const path of sources) {
      for (const specifier of await importsOf(path)) {
        const isOwn = specifier.startsWith(".") &&
          new URL(specifier, new URL(path, ROOT)).href.startsWith(ROOT.href + folder);
        const isEntryPoint = entryPoints.includes(specifier);
        assert.ok(isOwn || isEntryPoint || !/^\.|^@petstore\//.test(specifier), `${path} imports ${specifier}`);
      }
    }
  }
});

test("packages/tsconfig.json leads Bun to the entry points that deno.json exports", async () => {
  const text = await Deno.readTextFile(new URL("packages/tsconfig.json", ROOT));
  const { compilerOptions: { paths } } = JSON.parse(text.replaceAll(/^ *\/\/.*$/gm, ""));
  const { "./server": _, ...published } = config.exports;
  const expected = Object.entries(published).map(([entry, path]) => [config.name + entry.slice(1), [`.${path}`]]);
  assert.deepEqual(paths, Object.fromEntries(expected));
});

test("each runtime's own APIs are used only where the plan says", async () => {
  for (const path of filesBelow("lib/")) {
    const specifiers = await importsOf(path);
    const usesNode = specifiers.some((specifier) => specifier.startsWith("node:"));
    const isOfDeno = /^lib\/server\/deno\//.test(path);
    if (!isOfDeno) assert.doesNotMatch(codeOf(path), /\bDeno\.[a-z]/, path);
    const isOfNode = /^lib\/(stores\/sqlite|hosts\/node|server)/.test(path);
    assert.ok(!usesNode || isOfNode, path);
    assert.ok(!specifiers.some((specifier) => /^(npm|jsr|https?):/.test(specifier)), path);
    assert.doesNotMatch(codeOf(path), /"npm:/, path);
  }
});

test("the program for Node reaches nothing of Deno, but asks for its permissions in one module", async () => {
  const reach = await reachOf("lib/server/node/main.ts");
  assert.ok(reach.has("lib/server/commands/run.ts") && reach.has("lib/server/node/listener.ts"));
  for (const path of reach) {
    assert.doesNotMatch(path, /^lib\/server\/deno\//);
    assert.doesNotMatch(codeOf(path), /\bDeno\.[a-z]/, path);
    const asks = /"Deno" in globalThis|\["Deno"\]/.test(codeOf(path));
    // The store and the adapter for Fetch find out for themselves, because they are of the library.
    if (asks) assert.match(path, /^lib\/server\/process\/process\.ts$|^lib\/stores\/sqlite\/|^lib\/http\/reply\.ts$/);
  }
});

test("no text is written in two modules of lib", () => {
  const places = new Map<string, string>();
  for (const path of filesBelow("lib/")) {
    for (const [, text = ""] of codeOf(path).matchAll(/["`]([^"`\n]{24,})["`]/g)) {
      // Names of modules and of schemas, and text between two texts.
      if (/^\.{1,2}\/|^#\/|^[,;:) +]/.test(text)) continue;
      const other = places.get(text) ?? path;
      assert.equal(other, path, text);
      places.set(text, path);
    }
  }
  assert.ok(places.size > 100);
});

test("every error code is in the table of codes alone, but for where its error is made", () => {
  for (const path of filesBelow("lib/")) {
    if (path === "lib/error_codes.ts") continue;
    const made = codeOf(path).replaceAll(/(?:new Problem|withChallenge)\(\s*\d+,\s*["`][a-z_$\{\}]+["`]/g, "");
    for (const code of Object.keys(ERROR_STATUS)) assert.ok(!made.includes(`"${code}"`), `${path}: ${code}`);
  }
});

/** A mention of a release of this package: of this tree's after the name, of any after "release". */
const RELEASE =
  /\b(petstore[`"'@ |-]+|releases? (?:before |since |from )?)v?(\d+\.\d+\.\d+(?:-rc\.\d+)?)(?![\d.]*\d)/gi;

test("the version is the same in deno.json, in the code, at the top of the CHANGELOG and on every page", () => {
  const releases = Array.from(
    readPage("CHANGELOG.md").matchAll(/^## (?:\[(.*)\] - (?:unreleased$|\d{4}-\d\d-\d\d$))?/gm),
    ([, release]) => release,
  );
  assert.deepEqual([VERSION, releases[0]], [config.version, sectionOf(config.version)]);
  assert.equal(CONFORMANCE_VERSION, config.version);
  assert.ok(!releases.includes(undefined), "A heading of the CHANGELOG is no release with its date");
  // The pages of bench are left out, because a measurement keeps the version with which it was made.
  const inFolders = ["lib/", "tools/"].flatMap((folder) => filesBelow(folder, "{md,ts}"));
  const mentions = [...PAGES, ...inFolders].flatMap((path) =>
    Array.from(readPage(path).matchAll(RELEASE), ([, before = "", release]) => ({ path, before, release }))
  );
  const isOfNow = ({ before }: { before: string }) => before.startsWith("Petstore") || before.startsWith("petstore");
  assert.deepEqual(
    mentions.filter((each) => isOfNow(each) ? each.release !== VERSION : !releases.includes(each.release)),
    [],
  );
  assert.ok(mentions.some(isOfNow));
});

test("deno.lock names no host", async () => {
  assert.doesNotMatch(await Deno.readTextFile(new URL("deno.lock", ROOT)), /https?:\/\//);
});
