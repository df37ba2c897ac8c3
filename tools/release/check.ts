/**
 * `deno task release:check [TAG]` says what this checkout still needs before it can be released,
 * each with its place, and exits with status 1 if anything is missing. It changes nothing. That all
 * manifests name one version is a test, of `deno task ok`.
 */

import { join } from "node:path";
import process from "node:process";
import { readPackages } from "./packages.ts";
import { isPreRelease, readTexts, sectionOf } from "./prepare.ts";

/** Sentences that the first release makes false. */
const STALE =
  /\bnot\s+(?:been\s+)?published\s+yet\b|\bonce\s+it\s+is\s+published\b|\bbefore\s+the\s+first\s+release\b/gi;

const [tag] = process.argv.slice(2);
const packages = readPackages(), texts = readTexts();
const version = packages[0]!.config.version;
const tasks: string[] = [];
for (const { folder, manifest } of packages) {
  const path = join(folder, "package.json");
  if (!manifest.author) tasks.push(`fill in author in ${path}`);
  if (!manifest.repository?.url) tasks.push(`fill in repository.url in ${path}`);
}
const [, release, date] = /^## \[(.*)\] - (\S+)$/m.exec(texts.get("CHANGELOG.md")!) ?? [];
if (release !== sectionOf(version)) tasks.push(`begin CHANGELOG.md with ${sectionOf(version)}, not ${release}`);
if (!isPreRelease(version)) {
  if (date === "unreleased") tasks.push(`run deno task release:prepare ${version}, which dates CHANGELOG.md`);
  for (const [path, text] of texts) tasks.push(...findStale(path, text));
}
if (tag !== undefined && tag !== `v${version}`) tasks.push(`name the tag v${version}, not ${tag}`);

for (const task of tasks) console.error(`Before the release: ${task}`);
if (tasks.length > 0) process.exitCode = 1;
else console.log("Nothing is missing");

function findStale(path: string, text: string): string[] {
  // This page tells of each release, also of the first.
  if (path === "docs/releasing.md") return [];
  return Array.from(text.matchAll(STALE), ({ 0: words, index }) => {
    const line = text.slice(0, index).split("\n").length;
    return `remove "${words.replaceAll(/\s+/g, " ")}" from ${path}:${line}`;
  });
}
