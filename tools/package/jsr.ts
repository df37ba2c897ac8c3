/** Makes the package for JSR in dist/jsr: sources, and pages whose links to other files lead to the repository. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { addressOf, linkFrom } from "./documents.ts";
import { PROJECT } from "./project.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Sources, pages, and what these show. */
const PUBLISHED = new RegExp(
  [
    /^(mod|server)\.ts$|^LICENSE$|^[A-Z]+\.md$|^openapi\.json$/,
    /^lib\/(?!server\/viewer\/page\/)/,
    /^docs\/(?!viewer\.png$)/,
    /^bench\/\w+\.(md|svg)$/,
  ].map(({ source }) => source).join("|"),
);

/** The paths of all files in the package but deno.json. */
function listFiles(): string[] {
  const within = (folder: string, recursive = false) =>
    readdirSync(join(ROOT, folder), { recursive, withFileTypes: true }).filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length).replaceAll("\\", "/"));
  const files = [...within("."), ...within("bench"), ...within("docs", true), ...within("lib", true)];
  return files.filter((path) => PUBLISHED.test(path)).sort();
}

/** The README is that of npm's page, with another start. */
function createReadme(): string {
  const [npm, start] = ["README.md", "start_on_jsr.md"].map((name) => {
    return readFileSync(new URL(name, import.meta.url), "utf8");
  }) as [string, string];
  const readme = npm.replace(/^## A server in one command\n[^]*?(?=^## The API$)/m, () => `${start}\n`)
    .replace("the command `petstore`", "`@petstore/petstore/server`, a program");
  if (!readme.includes("/server`, a program") || readme.includes("npx")) throw new Error("The README has another form");
  return readme;
}

const folder = join(ROOT, "dist", "jsr");
rmSync(folder, { recursive: true, force: true });
const files = listFiles();
const { name, version, license, exports, compilerOptions, imports: { postgres } } = config;
// The server reads the release of the driver here.
const manifest = { name, version, license, exports, compilerOptions, imports: { postgres } };
write("deno.json", JSON.stringify(manifest, null, 2) + "\n");
for (const path of files) write(path, path.endsWith(".md") ? readPage(path) : readFileSync(join(ROOT, path)));
console.log(`${folder}: ${files.length + 1} files`);

function readPage(path: string): string {
  const text = path === "README.md" ? createReadme() : readFileSync(join(ROOT, path), "utf8");
  return linkFrom(path, text, addressOf(PROJECT, version), (target) => {
    return files.some((file) => file === target || file.startsWith(`${target}/`));
  });
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}
