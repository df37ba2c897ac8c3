/**
 * `deno task release:prepare VERSION` makes this checkout ready for a release: it writes the
 * version wherever that of now stands, dates the section of the CHANGELOG, and removes from the
 * pages what is true only before the first release. Measurements stay as they are, also where they
 * name a version, because they were made with it. `deno task release:prepare VERSION unreleased`
 * begins the next version.
 *
 * A pre-release such as 1.2.3-rc.0 only gets its number: its changes are those of 1.2.3, whose
 * section is not dated yet.
 */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { readPackages, ROOT } from "./packages.ts";

/** 1.2.3, or a pre-release of it such as 1.2.3-rc.0. */
const FORM = /^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/;

/** A passage that a page has until the first release, such as "It is not published yet". */
const BEFORE_RELEASE = /<!-- before the first release -->\n[^]*?<!-- end -->\n\n?/g;

/** Whether a version comes before the one that it is to become, as 1.2.3-rc.0 does. */
export function isPreRelease(version: string): boolean {
  return version.includes("-");
}

/** The version whose section of the CHANGELOG has the changes: 1.2.3 for 1.2.3-rc.0, and else the version itself. */
export function sectionOf(version: string): string {
  return version.replace(/-.*/, "");
}

/** The files in which a version or a passage of before the release may stand, by their paths relative to the root. */
export function readTexts(): Map<string, string> {
  const names = "{*.md,deno.json,package.json,lib/server/process/version.ts}";
  const paths = globSync([names, `packages/*/${names}`, "docs/*.md"], { cwd: ROOT });
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
}

if (import.meta.main) {
  const [version = "", when] = process.argv.slice(2);
  try {
    if (!FORM.test(version)) throw new Error(`A version is like 1.2.3, not "${version}"`);
    const now = readPackages()[0]!.config.version, isBegun = when === "unreleased";
    for (const [path, text] of readTexts()) {
      const prepared = path === "CHANGELOG.md"
        ? prepareChangelog(text, version, isBegun)
        : prepareText(text, now, version, isBegun);
      if (prepared === text) continue;
      writeFileSync(join(ROOT, path), prepared);
      console.log(`Changed ${path}`);
    }
  } catch (error) {
    console.error(`release:prepare: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 2;
  }
}

function prepareText(text: string, now: string, version: string, isBegun: boolean): string {
  const before = '(\\bpetstore[`"\'@ |-]+|"version": "|\\bVERSION = "|"@petstore/\\w+": "\\^)';
  const places = `${before}${RegExp.escape(now)}(?![\\d.]*\\d)`;
  const renamed = text.replaceAll(new RegExp(places, "gi"), `$1${version}`);
  return isBegun || isPreRelease(version) ? renamed : renamed.replaceAll(BEFORE_RELEASE, "");
}

function prepareChangelog(text: string, version: string, isBegun: boolean): string {
  const section = `## [${sectionOf(version)}] - `, heading = `${section}unreleased\n`;
  const changes = text.split(heading)[1]?.split(/^## /m)[0]?.trim();
  if (isBegun) return changes === undefined ? text.replace(/^## /m, `${heading}\n## `) : text;
  if (!changes) throw new Error(`CHANGELOG.md must have "${heading.trim()}", and below it what has changed`);
  const today = new Date().toISOString().slice(0, 10);
  return isPreRelease(version) ? text : text.replace(heading, `${section}${today}\n`);
}
