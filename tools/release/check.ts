/**
 * `deno task release:check [TAG]` says what this checkout still needs before it can be released, each with its place, and exits with
 * status 1 if anything is missing. It changes nothing. The tests of the packages themselves are `deno task test:all heavy/package`.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Package, readPackages, ROOT } from "./packages.ts";
import { isPreRelease, readTexts, sectionOf } from "./prepare.ts";

/** Sentences that the first release makes false. The CHANGELOG's heading is checked by itself. */
const STALE =
  /\bnot\s+(?:been\s+)?published\s+yet\b|\bonce\s+it\s+is\s+published\b|\bbefore\s+the\s+first\s+release\b/gi;

/**
 * Returns what a release still needs, in words.
 *
 * @param packages As `readPackages()` gives them.
 * @param texts As `readTexts()` gives them.
 * @param tag The tag of the release, if there is one already.
 */
export function findTasks(
  packages: readonly Package[],
  texts: ReadonlyMap<string, string>,
  tag: string | undefined,
): string[] {
  const tasks: string[] = [];
  const version = packages[0]!.config.version;
  for (const { folder, config, manifest } of packages) {
    const path = join(folder, "package.json");
    if (!manifest.author) tasks.push(`fill in author in ${path}`);
    if (!manifest.repository?.url) tasks.push(`fill in repository.url in ${path}`);
    for (const [file, named] of [["deno.json", config.version], ["package.json", manifest.version]] as const) {
      if (named !== version) tasks.push(`write version ${version}, not ${named}, in ${join(folder, file)}`);
    }
    const ranges = { ...manifest.dependencies, ...manifest.peerDependencies };
    for (const [name, range] of Object.entries(ranges)) {
      if (!name.startsWith("@petstore/") || range === `^${version}`) continue;
      tasks.push(`write ^${version}, not ${range}, for ${name} in ${path}`);
    }
  }
  const section = sectionOf(version);
  const [, release, date] = /^## \[(.*)\] - (\S+)$/m.exec(texts.get("CHANGELOG.md") ?? "") ?? [];
  if (release !== section) tasks.push(`begin CHANGELOG.md with ${section}, the version of deno.json, not ${release}`);
  if (!isPreRelease(version)) {
    if (date === "unreleased") tasks.push(`run deno task release:prepare ${version}, which dates CHANGELOG.md`);
    for (const [path, text] of texts) tasks.push(...findStale(path, text));
  }
  if (tag !== undefined && tag !== `v${version}`) tasks.push(`name the tag v${version}, not ${tag}`);
  return tasks;
}

function findStale(path: string, text: string): string[] {
  // This page tells of each release, also of the first.
  if (path === "docs/releasing.md") return [];
  return Array.from(text.matchAll(STALE), ({ 0: words, index }) => {
    const line = text.slice(0, index).split("\n").length;
    return `remove "${words.replaceAll(/\s+/g, " ")}" from ${path}:${line}`;
  });
}

if (import.meta.main) {
  const [tag] = process.argv.slice(2);
  const tasks = findTasks(readPackages(), readTexts(), tag);
  for (const task of tasks) console.error(`Before the release: ${task}`);
  if (tasks.length > 0) process.exitCode = 1;
  else console.log("Nothing is missing");
}

/** The section of the CHANGELOG for a version, without its heading: the notes of a GitHub Release. */
export function notesOf(version: string, changelog: string = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")): string {
  const [, after = ""] = changelog.split(new RegExp(`^## \\[${RegExp.escape(sectionOf(version))}\\] - .*\\n`, "m"));
  return after.split(/^## /m)[0]!.trim();
}
