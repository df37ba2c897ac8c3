/**
 * The picture of the layers in docs/tour.md, drawn from the imports of lib/ in the language of Mermaid. `deno task docs` runs this file
 * and writes it into the page.
 */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);
const PAGE = new URL("docs/tour.md", ROOT);

/** What each folder is for. The files beside the folders are one box. */
const MEANINGS: Record<string, string> = {
  server: "the program: commands, settings, logs",
  openapi: "the description",
  petstore: "all parts together",
  operations: "what each operation does",
  access: "who is calling",
  hosts: "requests of Deno, Node and others",
  http: "for any API, without pets",
  stores: "where pets are kept",
  domain: "pets, exact JSON, error codes",
};

/** The folder of a module of lib/, such as `http`. */
function folderOf(path: string): string {
  const [, folder = "domain"] = /^lib\/([a-z]+)\//.exec(path) ?? [];
  return folder;
}

/** The folders that each folder imports. */
function readImports(): Map<string, Set<string>> {
  const imports = new Map(Object.keys(MEANINGS).map((name) => [name, new Set<string>()]));
  for (const path of globSync("lib/**/*.ts", { cwd: fileURLToPath(ROOT) })) {
    const own = imports.get(folderOf(path));
    if (!own) throw new Error(`tools/docs/layers.ts does not say what ${path} is for`);
    for (const [, specifier = ""] of readFileSync(new URL(path, ROOT), "utf8").matchAll(/ from "(\.[^"]+)"/g)) {
      const target = folderOf(new URL(specifier, new URL(path, ROOT)).href.slice(ROOT.href.length));
      if (target !== folderOf(path)) own.add(target);
    }
  }
  return imports;
}

/** The picture. An arrow is left out where others lead the same way. */
export function drawLayers(): string {
  const imports = readImports();
  const reaches = (from: string, to: string): boolean =>
    [...imports.get(from)!].some((next) => next === to || reaches(next, to));
  const boxes = Object.entries(MEANINGS).map(([name, meaning]) => `  ${name}["${name}<br>${meaning}"]`);
  const arrows = [...imports].flatMap(([from, targets]) =>
    [...targets].sort().filter((to) => ![...targets].some((next) => next !== to && reaches(next, to)))
      .map((to) => `  ${from} --> ${to}`)
  );
  return ["flowchart TD", ...boxes, ...arrows].join("\n") + "\n";
}

if (import.meta.main) {
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(PAGE, page.replace(/(?<=^```mermaid\n)[^]*?(?=^```$)/m, drawLayers()));
}
