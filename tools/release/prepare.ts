/**
 * `deno task release:prepare VERSION` makes this checkout ready for a release: it writes the version wherever that of now stands,
 * dates the section of the CHANGELOG, and removes from the pages what is true only before the first release. Measurements stay as
 * they are, also where they name a version, because they were made with it. `deno task release:prepare VERSION unreleased` begins
 * the next version.
 *
 * A pre-release such as 1.2.3-rc.0 only gets its number: its changes are those of 1.2.3, whose section is not dated yet.
 */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { readPackages, ROOT } from "./packages.ts";

/** Figures of one day: they are made anew by a benchmark, not by a release. */
const MEASUREMENTS = /^bench\//;

/** 1.2.3, or a pre-release of it such as 1.2.3-rc.0. */
const FORM = /^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/;

/** A passage that a page has until the first release, such as "It is not published yet". */
const BEFORE_RELEASE = /<!-- before the first release -->\n[^]*?<!-- end -->\n\n?/g;

/**
 * Returns the texts of a checkout as they are for the version `to`.
 *
 * @param texts Manifests, pages and sources by their paths. The pages of `bench` are left alone.
 * @param from The version that stands in them now.
 * @param date The day of the release, as 2027-01-31; unused for a pre-release. Without it, the CHANGELOG gets an empty section for the
 * version.
 * @throws {Error} If `to` is not a version, or the CHANGELOG has nothing to say of it.
 */
function prepareRelease(
  texts: ReadonlyMap<string, string>,
  from: string,
  to: string,
  date: string | undefined,
): Map<string, string> {
  if (!FORM.test(to)) throw new Error(`A version is like 1.2.3, not "${to}"`);
  const version = new RegExp(
    `(\\bpetstore[\`"'@ |-]+|"version": "|\\bVERSION = "|"@petstore/\\w+": "\\^)${RegExp.escape(from)}(?![\\d.]*\\d)`,
    "gi",
  );
  return new Map(Array.from(texts, ([path, text]) => {
    if (MEASUREMENTS.test(path)) return [path, text];
    if (path === "CHANGELOG.md") return [path, prepareChangelog(text, to, date)];
    const renamed = text.replaceAll(version, `$1${to}`);
    return [path, date === undefined || isPreRelease(to) ? renamed : renamed.replaceAll(BEFORE_RELEASE, "")];
  }));
}

/** Whether a version comes before the one that it is to become, as 1.2.3-rc.0 does. */
export function isPreRelease(version: string): boolean {
  return version.includes("-");
}

/** The version whose section of the CHANGELOG has the changes: 1.2.3 for 1.2.3-rc.0, and else the version itself. */
export function sectionOf(version: string): string {
  return version.replace(/-.*/, "");
}

function prepareChangelog(text: string, version: string, date: string | undefined): string {
  const section = sectionOf(version);
  const heading = `## [${section}] - unreleased\n`;
  const isAwaited = text.includes(heading);
  if (date === undefined) return isAwaited ? text : text.replace(/^## /m, `${heading}\n## `);
  const [changes = ""] = text.split(heading)[1]?.split(/^## /m) ?? [];
  if (changes.trim() !== "") return isPreRelease(version) ? text : text.replace(heading, `## [${section}] - ${date}\n`);
  throw new Error(`CHANGELOG.md must have "${heading.trim()}", and below it what has changed`);
}

/** The files in which a version or a passage of before the release may stand, by their paths relative to the root. */
export function readTexts(): Map<string, string> {
  const folders = readPackages().map(({ folder }) => folder === "." ? "" : `${folder}/`);
  const names = ["*.md", "deno.json", "package.json", "lib/version.ts", "lib/server/process/version.ts"];
  const patterns = folders.flatMap((folder) => names.map((name) => folder + name));
  const paths = globSync([...patterns, "docs/*.md", "bench/*.md"], { cwd: ROOT });
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
}

if (import.meta.main) {
  const [version = "", when] = process.argv.slice(2);
  const texts = readTexts();
  const date = when === "unreleased" ? undefined : new Date().toISOString().slice(0, 10);
  try {
    for (const [path, text] of prepareRelease(texts, readPackages()[0]!.config.version, version, date)) {
      if (text === texts.get(path)) continue;
      writeFileSync(join(ROOT, path), text);
      console.log(`Changed ${path}`);
    }
  } catch (error) {
    console.error(`release:prepare: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 2;
  }
}
