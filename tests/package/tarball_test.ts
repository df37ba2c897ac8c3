/** What is in the npm package, and what is not. */

import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, posix } from "node:path";
import process from "node:process";
import test from "node:test";
import root from "../../deno.json" with { type: "json" };
import { withTempFolder } from "../support/temp.ts";
import { ROOT, TARBALL } from "./support/project.ts";
import { run } from "./support/run.ts";
import { readTarball } from "./support/tar.ts";

const BYTES = readFileSync(TARBALL);
const ENTRIES = readTarball(BYTES);
const PATHS = ENTRIES.map(({ path }) => path.replace(/^package\//, ""));
const MANIFEST = JSON.parse(textOf("package.json"));

function textOf(path: string): string {
  return ENTRIES.find((entry) => entry.path === `package/${path}`)?.text ?? "";
}

const MODULES = [
  ...["hosts/node", "hosts/node_request", "hosts/node_response"],
  ...["http/answer", "http/answer_cache", "http/auth", "http/body", "http/body_stream"],
  ...["http/conditional", "http/cors", "http/cursor", "http/large_answers", "http/structured_field", "http/turns"],
  ...["http/deadlines", "http/dispatch", "http/errors", "http/field_value", "http/idempotency", "http/query"],
  ...["http/routing", "json", "openapi", "openapi/paths", "openapi/responses", "openapi/schemas", "operations"],
  ...["options", "pending", "pet", "petstore", "stores/id_list", "stores/memory", "stores/packed_pets"],
  ...["stores/postgres", "stores/postgres_client", "stores/postgres_commit", "stores/postgres_errors"],
  ...["stores/postgres_driver", "stores/postgres_js_driver", "stores/postgres_node_driver"],
  ...["stores/postgres_forgetting", "stores/postgres_functions", "stores/postgres_inspection"],
  ...["stores/postgres_schema", "stores/postgres_statements", "stores/postgres_tables"],
  ...["stores/read_ahead", "stores/sqlite", "stores/sqlite_commit", "stores/sqlite_errors", "stores/sqlite_file"],
  ...["stores/sqlite_insert", "stores/sqlite_open", "stores/sqlite_schema", "stores/sqlite_statements", "stores/store"],
  "version",
].map((name) => `lib/${name}`);

/** Modules that the types of an entry point lead to. */
const TYPED = [
  ...["hosts/node", "hosts/node_types"],
  ...["http/answer", "http/auth", "http/cors", "http/dispatch", "http/errors", "http/routing", "openapi", "options"],
  ...["pending", "pet", "petstore", "stores/memory", "stores/postgres", "stores/postgres_client"],
  ...["stores/postgres_driver", "stores/postgres_schema", "stores/sqlite", "stores/store"],
].map((name) => `lib/${name}`);

test("the package holds the library, its types and its documents, and nothing else", () => {
  assert.deepEqual(
    PATHS.toSorted(),
    [
      ...["package.json", "README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "mod.js", "mod.d.ts"],
      ...MODULES.map((module) => `${module}.js`),
      ...TYPED.map((module) => `${module}.d.ts`),
    ].sort(),
  );
  assert.equal(new Set(PATHS).size, PATHS.length);
  assert.ok(ENTRIES.every(({ path, mode, size }) => path.startsWith("package/") && mode === 0o644 && size > 0));
});

test("the package is small", () => {
  assert.ok(BYTES.length < 120_000, `${BYTES.length} bytes`);
  assert.ok(ENTRIES.reduce((sum, { size }) => sum + size, 0) < 400_000);
});

test("package.json says what the package is, where it runs and what it gives", () => {
  const { description, keywords, ...rest } = MANIFEST;
  assert.match(description, /^.{50,120}$/);
  assert.ok(keywords.length >= 5 && new Set(keywords).size === keywords.length);
  assert.deepEqual(rest, {
    name: root.name,
    version: root.version,
    license: "MIT",
    type: "module",
    sideEffects: false,
    engines: { node: ">=22.13.0" },
    exports: {
      ".": { types: "./mod.d.ts", default: "./mod.js" },
      "./postgres": { types: "./lib/stores/postgres/postgres_store.d.ts", default: "./lib/stores/postgres/postgres_store.js" },
      "./sqlite": { types: "./lib/stores/sqlite/sqlite_store.d.ts", default: "./lib/stores/sqlite/sqlite_store.js" },
      "./node": { types: "./lib/hosts/node.d.ts", default: "./lib/hosts/node.js" },
      "./package.json": "./package.json",
    },
  });
  assert.match(textOf("LICENSE"), /^MIT License/);
});

/** Those of examples, of this machine to itself, and the standards that the documents name. */
const KNOWN_HOST = /^(localhost|127\.0\.0\.1|h|[\w.-]+\.example|semver\.org|keepachangelog\.com|eprint\.iacr\.org)$/;

test("nothing in the package tells of the machine that made it, or of a registry, or needs one", () => {
  const folders = [ROOT, homedir(), process.cwd()].filter((folder) => folder.length > 1);
  for (const { path, text } of ENTRIES) {
    for (const folder of folders) assert.ok(!text.includes(join(folder, "/")), `${path}: ${folder}`);
    assert.doesNotMatch(text, /file:\/\/|sourceMappingURL/, path);
    for (const [, host = ""] of text.matchAll(/https?:\/\/([\w.-]+)/g)) assert.match(host, KNOWN_HOST, path);
    if (/\.(js|d\.ts)$/.test(path)) {
      assert.doesNotMatch(text, /["'`(\s]\/(home|root|tmp|work|usr|Users|mnt)\//, path);
    }
  }
});

test("the code of the package imports its own files and what Node has, and is not for Deno alone", () => {
  for (const { path, text } of ENTRIES.filter(({ path }) => /\.(js|d\.ts)$/.test(path))) {
    for (const [, specifier = ""] of text.matchAll(/^(?:import|export)\b[^;"'()=]*?"([^"]+)";/gm)) {
      assert.match(specifier, specifier.startsWith(".") ? /\.js$/ : /^node:(sqlite|fs|path|process)$/, path);
      // The types ask for no @types/node.
      if (path.endsWith(".d.ts")) assert.ok(specifier.startsWith("."), path);
    }
    assert.doesNotMatch(text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, ""), /\bDeno\.|^\/\/\/ <reference/m, path);
  }
});

test("no link in the package's documents is dead", () => {
  let count = 0;
  for (const { path, text } of ENTRIES.filter(({ path }) => path.endsWith(".md"))) {
    for (const [, target = ""] of text.matchAll(/\]\((?!https:)([^)#]+)/g)) {
      count++;
      assert.ok(PATHS.includes(posix.normalize(target)), `${path} leads to ${target}`);
    }
  }
  assert.ok(count > 0);
});

test("the same sources give the same bytes, at another place and another time", () =>
  withTempFolder(async (folder) => {
    const documents = readdirSync(ROOT).filter((name) => /\.(md|ts|json)$|^LICENSE$/.test(name));
    for (const name of ["lib", "tools/package", ...documents]) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
    }
    const args = ["run", "--allow-all", "tools/package/main.ts"];
    const { status, stderr } = await run(process.execPath, args, folder, { TZ: "Pacific/Auckland" });
    assert.equal(status, 0, stderr);
    const again = readFileSync(join(folder, "dist", basename(TARBALL)));
    assert.ok(BYTES.equals(again), "They differ, unless dist/ is older than the sources: run deno task pack");
  }));
