/** Compiles the sources to JavaScript and declarations. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const COMPILER = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));
const PROJECT = fileURLToPath(new URL("tsconfig.json", import.meta.url));

/**
 * Returns the files that the entry points reach, by their paths in the package.
 *
 * @param entryPoints Paths relative to the root, without their extension; tsconfig.json names them too.
 * @param programs Likewise, without declarations.
 */
export function compile(entryPoints: readonly string[], programs: readonly string[]): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-pack-"));
  try {
    const args = ["run", "--allow-all", COMPILER, "--project", PROJECT, "--outDir", folder];
    execFileSync(process.execPath, args, { stdio: "inherit" });
    const files = new Map<string, string>();
    for (const module of entryPoints) {
      // Declarations that no public type reaches are left out: some of them would need @types/node.
      for (const extension of [".js", ".d.ts"]) collect(folder, posix.normalize(module) + extension, files);
    }
    for (const module of programs) collect(folder, `${posix.normalize(module)}.js`, files);
    return files;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An import or export of another file of the package. TypeScript leaves `.ts` in declarations. */
const RELATIVE_IMPORT = /^((?:import|export)\b[^;"'()=]*?")(\.{1,2}\/[^"]+)\.[tj]s";$/gm;

/** What a program loads later, and modules of JSON. */
const OTHER_IMPORT = /\bimport\("(\.{1,2}\/[^"]+\.js(?:on)?)"|"(\.{1,2}\/[^"]+\.json)" with /g;

/** A sixth of the scripts. The declarations keep those of the public names. */
const DESCRIPTION = /^[ \t]*\/\*\*[^]*?\*\/\n/gm;

/** For projects whose `lib` is older than `Symbol.asyncDispose`. The sources cannot have this line, because JSR refuses it. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />\n';

function collect(folder: string, path: string, files: Map<string, string>): void {
  if (files.has(path)) return;
  const extension = path.endsWith(".d.ts") ? ".d.ts" : ".js";
  const source = readFileSync(join(folder, path), "utf8");
  const text = path.endsWith(".js") ? source.replaceAll(DESCRIPTION, "") : source;
  const head = extension === ".d.ts" && text.includes("Symbol.asyncDispose") ? DISPOSABLE : "";
  files.set(path, head + text.replaceAll(RELATIVE_IMPORT, '$1$2.js";'));
  for (const [, , module = ""] of text.matchAll(RELATIVE_IMPORT)) {
    collect(folder, posix.join(posix.dirname(path), module) + extension, files);
  }
  for (const [, later, json] of text.matchAll(OTHER_IMPORT)) {
    collect(folder, posix.join(posix.dirname(path), later ?? json!), files);
  }
}
