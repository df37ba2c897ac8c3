/** `deno task pack`: makes the npm package in dist/, or in the folder that is given. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { compile } from "./compile.ts";
import { readDocuments } from "./documents.ts";
import { createManifest, PROGRAM } from "./manifest.ts";
import { missingFrom, PROJECT } from "./project.ts";
import { createTarball } from "./tarball.ts";
import { formatWeights } from "./weights.ts";

const ROOT = new URL("../../", import.meta.url);

const { manifest, entryPoints } = createManifest(config, PROJECT);
const files = new Map<string, string>();
files.set("package.json", JSON.stringify(manifest, null, 2) + "\n");
for (const [name, text] of readDocuments(ROOT, PROJECT, config.version)) files.set(name, text);
// For documentation sites and generators, which take it from the package by its address.
files.set("openapi.json", JSON.stringify(JSON.parse(readFileSync(new URL("openapi.json", ROOT), "utf8"))));
for (const [path, text] of [...compile(entryPoints, [PROGRAM])].sort()) files.set(path, text);

const folder = process.argv[2] ?? fileURLToPath(new URL("dist", ROOT));
// npm's own name for the tarball.
const path = join(folder, `${config.name.replace("@", "").replace("/", "-")}-${config.version}.tgz`);
mkdirSync(folder, { recursive: true });
writeFileSync(path, createTarball(files));
console.log(`${path}: ${files.size} files\n${formatWeights(files)}`);

const missing = missingFrom(PROJECT);
if (missing.length > 0) console.warn(`Before a release, fill in tools/package/project.json: ${missing.join(", ")}`);
