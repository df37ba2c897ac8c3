/** `deno task pack`: makes the npm package of the sources, in dist/ or in the folder that is given. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { compile } from "./compile.ts";
import { createManifest } from "./manifest.ts";
import { createTarball } from "./tarball.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** What npm and the readers of the package look for beside the code. */
const DOCUMENTS = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"];

const { manifest, entryPoints } = createManifest(config);
const files = new Map<string, string>();
files.set("package.json", JSON.stringify(manifest, null, 2) + "\n");
for (const name of DOCUMENTS) files.set(name, readFileSync(join(ROOT, name), "utf8"));
for (const [path, text] of [...compile(entryPoints)].sort()) files.set(path, text);

const folder = process.argv[2] ?? join(ROOT, "dist");
const path = join(folder, `${config.name.replace("@", "").replace("/", "-")}-${config.version}.tgz`);
mkdirSync(folder, { recursive: true });
writeFileSync(path, createTarball(files));
console.log(`${path}: ${files.size} files`);
