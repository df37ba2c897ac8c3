/**
 * Compiles the package in the current folder for npm: JavaScript and declarations in its folder
 * `npm`. `npm pack` and `npm publish` run it by the script `prepack`. The entry points are those of
 * package.json, whose files in `npm` have the paths of their sources.
 */

import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { type Manifest, readPackages, ROOT } from "./packages.ts";

const OUTPUT = "npm";

/**
 * TypeScript needs this line in a project whose `lib` does not name `ESNext.Disposable`. JSR
 * refuses it in a source.
 */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />\n';

/** The files of `npm` that a manifest names, wherever it names them. */
function filesOf(manifest: unknown): string[] {
  const named = JSON.stringify(manifest).matchAll(/"(?:\.\/)?npm\/([^"]+)\.js"/g);
  return [...new Set(Array.from(named, ([, module = ""]) => `../${module}.ts`))];
}

/** Where TypeScript finds the declarations of the main package, which is compiled before the others. */
function pathsOf({ name, exports }: Manifest): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(exports).flatMap(([entry, target]) =>
      typeof target === "string" ? [] : [[name + entry.slice(1), [join(ROOT, target.types)]]]
    ),
  );
}

const folder = process.cwd();
const output = join(folder, OUTPUT);
rmSync(output, { recursive: true, force: true });
mkdirSync(output);
const project = join(output, "tsconfig.json");
const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const isHouse = relative(ROOT, folder) === "";
const paths = isHouse ? {} : pathsOf(readPackages()[0]!.manifest);
const compilerOptions = { rootDir: "..", outDir: ".", paths };
const base = join(ROOT, "tools/release/tsconfig.json");
writeFileSync(project, JSON.stringify({ extends: base, compilerOptions, files: filesOf(manifest) }));
execFileSync(process.execPath, [
  "run",
  "--allow-all",
  join(ROOT, "node_modules/typescript/bin/tsc"),
  "--project",
  project,
], {
  stdio: "inherit",
});
rmSync(project);
for (const path of globSync("**/*.d.ts", { cwd: output })) {
  const text = readFileSync(join(output, path), "utf8");
  if (text.includes("Symbol.asyncDispose")) writeFileSync(join(output, path), DISPOSABLE + text);
}
