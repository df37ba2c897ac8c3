/**
 * What a release changes in this checkout, and what it still needs. The tasks are:
 *
 * - `release:prepare VERSION` writes the version wherever that of now stands, dates the section of
 *   the CHANGELOG, and removes from the pages what is true only before the first release.
 *   Measurements stay as they are, also where they name a version, because they were made with it.
 * - `release:check [TAG]` says what is missing, each with its place, and changes nothing. That all
 *   manifests name one version is a test, of `deno task ok`.
 * - `release:notes` prints the section of the version in deno.json, for a GitHub Release.
 *
 * A pre-release such as 1.2.3-rc.0 only gets its number: its changes are those of 1.2.3, whose
 * section is not dated yet.
 */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { isPreRelease, readPackages, ROOT } from "./packages.ts";

/** 1.2.3, or a pre-release of it such as 1.2.3-rc.0. */
const FORM = /^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/;

/** A passage that a page has until the first release, such as "It is not published yet". */
const BEFORE_RELEASE = /<!-- before the first release -->\n[^]*?<!-- end -->\n\n?/g;

/** Sentences that the first release makes false. */
const STALE =
  /\bnot\s+(?:been\s+)?published\s+yet\b|\bonce\s+it\s+is\s+published\b|\bbefore\s+the\s+first\s+release\b/gi;

const packages = readPackages();
const now = packages[0]!.config.version;
const texts = readTexts();
const changelog = texts.get("CHANGELOG.md")!;

const [task, ...args] = process.argv.slice(2);
if (task === "prepare") prepare(args[0] ?? "");
else if (task === "check") check(args[0]);
else console.log(changesOf(now));

/** The files in which a version or a passage of before the release may stand, by their paths relative to the root. */
function readTexts(): Map<string, string> {
  const names = "{*.md,deno.json,package.json,lib/program.ts,lib/server/process/version.ts}";
  const paths = globSync([names, `packages/*/${names}`, "docs/*.md"], { cwd: ROOT });
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
}

/** The version whose section of the CHANGELOG has the changes: 1.2.3 for 1.2.3-rc.0, and else the version itself. */
function sectionOf(version: string): string {
  return version.replace(/-.*/, "");
}

/** The text of a version's section in the CHANGELOG, or "" if there is none. */
function changesOf(version: string): string {
  const [, section = ""] = changelog.split(`## [${sectionOf(version)}] - `);
  return section.replace(/^.*\n/, "").split(/^## /m)[0]!.trim();
}

function prepare(version: string): void {
  const heading = `## [${sectionOf(version)}] - unreleased\n`;
  const problem = !FORM.test(version)
    ? `A version is like 1.2.3, not "${version}"`
    : !changelog.includes(heading) || changesOf(version) === ""
    ? `CHANGELOG.md must have "${heading.trim()}", and below it what has changed`
    : undefined;
  if (problem !== undefined) {
    console.error(`release:prepare: ${problem}`);
    process.exitCode = 2;
    return;
  }
  for (const [path, text] of texts) {
    const prepared = path === "CHANGELOG.md" ? dated(heading, version) : prepareText(text, version);
    if (prepared === text) continue;
    writeFileSync(join(ROOT, path), prepared);
    console.log(`Changed ${path}`);
  }
}

function prepareText(text: string, version: string): string {
  const before = '(\\bpetstore[`"\'@ |-]+|"version": "|\\bVERSION = "|"@petstore/\\w+": "\\^)';
  const places = `${before}${RegExp.escape(now)}(?![\\d.]*\\d)`;
  const renamed = text.replaceAll(new RegExp(places, "gi"), `$1${version}`);
  return isPreRelease(version) ? renamed : renamed.replaceAll(BEFORE_RELEASE, "");
}

/** The CHANGELOG with today's date in place of "unreleased". */
function dated(heading: string, version: string): string {
  if (isPreRelease(version)) return changelog;
  return changelog.replace(heading, heading.replace("unreleased", new Date().toISOString().slice(0, 10)));
}

function check(tag: string | undefined): void {
  const missing: string[] = [];
  for (const { folder, manifest } of packages) {
    const path = join(folder, "package.json");
    if (!manifest.author) missing.push(`fill in author in ${path}`);
    if (!manifest.repository?.url) missing.push(`fill in repository.url in ${path}`);
  }
  const [, release, date] = /^## \[(.*)\] - (\S+)$/m.exec(changelog) ?? [];
  if (release !== sectionOf(now)) missing.push(`begin CHANGELOG.md with ${sectionOf(now)}, not ${release}`);
  if (!isPreRelease(now)) {
    if (date === "unreleased") missing.push(`run deno task release:prepare ${now}, which dates CHANGELOG.md`);
    for (const [path, text] of texts) missing.push(...findStale(path, text));
  }
  if (tag !== undefined && tag !== `v${now}`) missing.push(`name the tag v${now}, not ${tag}`);

  for (const what of missing) console.error(`Before the release: ${what}`);
  if (missing.length > 0) process.exitCode = 1;
  else console.log("Nothing is missing");
}

function findStale(path: string, text: string): string[] {
  // This page tells of each release, also of the first.
  if (path === "docs/releasing.md") return [];
  return Array.from(text.matchAll(STALE), ({ 0: words, index }) => {
    const line = text.slice(0, index).split("\n").length;
    return `remove "${words.replaceAll(/\s+/g, " ")}" from ${path}:${line}`;
  });
}
