/**
 * `deno task release:check [TAG]` says what this checkout still needs before it can be released, each with its place, and exits with
 * status 1 if anything is missing. It changes nothing. The tests of the packages themselves are `deno task test:all heavy/package`.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Package, readPackages, ROOT } from "./packages.ts";
import { isPreRelease, sectionOf } from "./prepare.ts";

/**
 * Returns what a release still needs, in words.
 *
 * @param packages As `readPackages()` gives them.
 * @param tag The tag of the release, if there is one already.
 */
function findTasks(
  packages: readonly Package[],
  changelog: string,
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
  const [, release, date] = /^## \[(.*)\] - (\S+)$/m.exec(changelog) ?? [];
  if (release !== section) tasks.push(`begin CHANGELOG.md with ${section}, the version of deno.json, not ${release}`);
  if (!isPreRelease(version) && date === "unreleased") {
    tasks.push(`run deno task release:prepare ${version}, which dates CHANGELOG.md`);
  }
  if (tag !== undefined && tag !== `v${version}`) tasks.push(`name the tag v${version}, not ${tag}`);
  return tasks;
}

if (import.meta.main) {
  const [tag] = process.argv.slice(2);
  const tasks = findTasks(readPackages(), readChangelog(), tag);
  for (const task of tasks) console.error(`Before the release: ${task}`);
  if (tasks.length > 0) process.exitCode = 1;
  else console.log("Nothing is missing");
}

/** The section of the CHANGELOG for a version, without its heading: the notes of a GitHub Release. */
export function notesOf(version: string, changelog: string = readChangelog()): string {
  const [, after = ""] = changelog.split(new RegExp(`^## \\[${RegExp.escape(sectionOf(version))}\\] - .*\\n`, "m"));
  return after.split(/^## /m)[0]!.trim();
}

function readChangelog(): string {
  return readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
}
