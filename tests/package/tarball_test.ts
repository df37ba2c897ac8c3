/** The contents of the npm package. */

import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, posix } from "node:path";
import process from "node:process";
import test from "node:test";
import root from "../../deno.json" with { type: "json" };
import { linkFrom, readDocuments } from "../../tools/package/documents.ts";
import { createManifest, PROGRAM } from "../../tools/package/manifest.ts";
import { missingFrom, PROJECT } from "../../tools/package/project.ts";
import { withTempFolder } from "../support/temp.ts";
import { ROOT, TARBALL } from "./support/project.ts";
import { succeed } from "./support/run.ts";
import { readTarball } from "./support/tar.ts";

const BYTES = readFileSync(TARBALL);
const ENTRIES = readTarball(BYTES);
const PATHS = ENTRIES.map(({ path }) => path.replace(/^package\//, ""));
const MANIFEST = JSON.parse(textOf("package.json"));

function textOf(path: string): string {
  return ENTRIES.find((entry) => entry.path === `package/${path}`)?.text ?? "";
}

const ENTRY_POINTS = Object.values(root.exports).filter((path) => path !== "./server.ts");

/** The files that these files reach by a pattern's imports, themselves included; `read` gives their texts. */
function reach(files: readonly string[], pattern: RegExp, read: (path: string) => string): string[] {
  const found = new Set(files.map((path) => posix.normalize(path)));
  for (const path of found) {
    for (const [, module = ""] of read(path).matchAll(pattern)) found.add(posix.join(posix.dirname(path), module));
  }
  return [...found];
}

/** TypeScript drops an import or export whose every name is a type of `import type`. */
const CODE_IMPORT =
  /(?:^(?:import|export)\s(?!type\s)[^;"]*|\bimport\()"(\.{1,2}\/[^"]+)"(?: with \{[^}]*\}|(?:, \{.*\})?\))?;$/gm;
const TYPE_IMPORT = /^(?:import|export)\s[^;"]*"(\.{1,2}\/[^"]+)\.js";$/gm;

test("the package holds what its entry points reach, types and documents, and nothing else", () => {
  const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
  const library = reach(ENTRY_POINTS, CODE_IMPORT, read);
  assert.ok(library.length > 40 && !library.some((path) => path.startsWith("lib/server/")));
  const sources = reach([...library, `${PROGRAM}.ts`], CODE_IMPORT, read);
  assert.ok(!sources.some((path) => /^lib\/server\/deno\//.test(path)));
  const entries = ENTRY_POINTS.map((path) => path.replace(/\.ts$/, ""));
  const typed = reach(entries, TYPE_IMPORT, (module) => textOf(`${module}.d.ts`));
  const expected = [
    ...["package.json", "README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "openapi.json"],
    ...["LICENSE", "NOTICE"].map((name) => `lib/server/viewer/${name}`),
    ...sources.map((path) => path.replace(/\.ts$/, ".js")),
    ...typed.map((module) => `${module}.d.ts`),
  ];
  assert.deepEqual(PATHS.toSorted(), expected.sort());
  assert.ok(ENTRIES.every(({ path, mode, size }) => path.startsWith("package/") && mode === 0o644 && size > 0));
});

test("the package is small, but for the files of Swagger UI that the server shows", () => {
  const own = ENTRIES.filter(({ path }) => !path.endsWith("/swagger_ui.json"));
  assert.ok(own.reduce((sum, { size }) => sum + size, 0) < 900_000);
  assert.ok(BYTES.length < 780_000, `${BYTES.length} bytes`);
});

test("package.json has the description, the supported Node and the entry points", () => {
  const { description, keywords, ...rest } = MANIFEST;
  const { repository, homepage, bugs } = createManifest(root, PROJECT).manifest;
  const modules = Object.entries(root.exports).filter(([path]) => path !== "./server")
    .map(([path, source]) => [path, source.replace(/\.ts$/, "")] as const);
  const addresses = JSON.parse(JSON.stringify({ repository, homepage, bugs }));
  assert.match(description, /^.{50,120}$/);
  assert.ok(keywords.length >= 5 && new Set(keywords).size === keywords.length);
  assert.deepEqual(rest, {
    name: root.name,
    version: root.version,
    license: "MIT",
    ...addresses,
    type: "module",
    sideEffects: false,
    engines: { node: ">=22.13.0" },
    bin: { petstore: `${PROGRAM}.js` },
    exports: {
      ...Object.fromEntries(
        modules.map(([path, module]) => [path, { types: `${module}.d.ts`, default: `${module}.js` }]),
      ),
      "./package.json": "./package.json",
    },
    // For TypeScript with moduleResolution node10, which ignores exports.
    main: "./mod.js",
    types: "./mod.d.ts",
    typesVersions: {
      "*": Object.fromEntries(modules.slice(1).map(([path, module]) => [path.slice(2), [`${module}.d.ts`]])),
    },
  });
  assert.match(textOf("LICENSE"), /^MIT License/);
});

/** Hosts of examples, this machine, standards, and the project's own. */
const KNOWN_HOST = new RegExp(
  [
    /^(localhost|127\.0\.0\.1|h|host|[\w.-]+\.example)$/.source,
    /^(semver\.org|keepachangelog\.com|eprint\.iacr\.org|www\.rfc-editor\.org|datatracker\.ietf\.org|www\.apache\.org)$/
      .source,
    ...Object.values(PROJECT).filter((address) => address !== "").map((address) => `^${new URL(address).host}$`),
  ].join("|"),
);

test("nothing in the package names the machine that made it, or an unknown host", () => {
  const folders = [ROOT, homedir(), process.cwd()].filter((folder) => folder.length > 1);
  for (const { path, text } of ENTRIES) {
    for (const folder of folders) assert.ok(!text.includes(join(folder, "/")), `${path}: ${folder}`);
    assert.doesNotMatch(text, /file:\/\/|sourceMappingURL/, path);
    for (const [, host = ""] of text.matchAll(/https?:\/\/(?:[\w:]+@)?([\w.-]+)/g)) {
      assert.match(host, KNOWN_HOST, `${path}: ${host}`);
    }
    if (/\.(js|d\.ts)$/.test(path)) assert.doesNotMatch(text, /["'`(\s]\/(home|root|tmp|work|usr|Users|mnt)\//, path);
  }
});

test("every link in the package's documents is absolute, or leads to a heading of its own page", () => {
  for (const { path, text } of ENTRIES.filter(({ path }) => path.endsWith(".md"))) {
    assert.deepEqual(deadLinks(text), [], path);
  }
});

const KNOWN = {
  repository: "git+https://code.example/petstore.git",
  homepage: "https://code.example/petstore",
  bugs: "https://code.example/petstore/issues",
  documents: "https://code.example/petstore/blob/v{version}/{path}",
};

test("once the repository is known, the documents link to files that it has, of the package's own version", () => {
  const prefix = "https://code.example/petstore/blob/v1.2.3/";
  const documents = readDocuments(new URL("../../", import.meta.url), KNOWN, "1.2.3");
  const targets = Array.from(documents.values(), linksOf).flat().filter((target) => target.startsWith(prefix));
  assert.ok(targets.length > 5);
  for (const target of targets) {
    assert.ok(existsSync(join(ROOT, target.slice(prefix.length).replace(/#.*/, ""))), target);
  }
  for (const text of documents.values()) assert.deepEqual(deadLinks(text), []);
});

test("a link to a file that JSR lacks becomes absolute, also of an image or with brackets, or its words if the address is unknown", () => {
  const page = "[a](b.md#c) [d](../lib/e.ts) [[...f].js](../lib/%5Bf%5D.js) ![g](h.png) [i](#j)";
  const link = (address: string) => linkFrom("docs/x.md", page, address, (path) => path === "docs/b.md");
  assert.equal(link(""), "[a](b.md#c) d [...f].js g [i](#j)");
  const at = "https://code.example/v1/";
  const absolute = `[d](${at}lib/e.ts) [[...f].js](${at}lib/%5Bf%5D.js) [g](${at}docs/h.png)`;
  assert.equal(link(`${at}{path}`), `[a](b.md#c) ${absolute} [i](#j)`);
});

test("package.json has the addresses of the project, and packing names those that are not known yet", () => {
  const { manifest } = createManifest(root, KNOWN);
  const { repository, homepage, bugs } = manifest;
  const expected = [{ type: "git", url: KNOWN.repository }, KNOWN.homepage, { url: KNOWN.bugs }];
  assert.deepEqual([repository, homepage, bugs], expected);
  assert.deepEqual(missingFrom(KNOWN), []);
  assert.deepEqual(missingFrom({ ...KNOWN, homepage: "", bugs: "" }), ["homepage", "bugs"]);
});

function linksOf(markdown: string): string[] {
  return Array.from(markdown.matchAll(/\]\(([^)]+)\)/g), ([, target = ""]) => target);
}

/** Links that lead nowhere on a page that shows the document alone. */
function deadLinks(markdown: string): string[] {
  const headings = Array.from(markdown.matchAll(/^#+ (.*)$/gm), ([, title = ""]) => {
    return `#${title.toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-")}`;
  });
  return linksOf(markdown).filter((target) => !target.startsWith("https://") && !headings.includes(target));
}

test("the same sources give the same bytes in another folder and time zone", () =>
  withTempFolder(async (folder) => {
    const documents = readdirSync(ROOT).filter((name) => /\.(md|ts|json)$|^LICENSE$/.test(name));
    for (const name of ["lib", "tools/package", ...documents]) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
    }
    const args = ["run", "--allow-all", "tools/package/main.ts"];
    await succeed(process.execPath, args, folder, { TZ: "Pacific/Auckland" });
    const again = readFileSync(join(folder, "dist", basename(TARBALL)));
    assert.ok(BYTES.equals(again), "They differ, unless dist/ is older than the sources: run deno task pack");
  }));
