/**
 * `deno task release:prepare VERSION` writes the number of a release, and today as its date, wherever they stand.
 * `deno task release:prepare VERSION unreleased` begins the next one.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { missingFrom, PROJECT } from "../package/project.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Returns the texts with another number. Without a date, the CHANGELOG gets an empty section, otherwise that section gets the date.
 *
 * @param texts By path. The CHANGELOG keeps the numbers of earlier releases, as all pages do that tell what one did.
 */
export function prepareRelease(texts: ReadonlyMap<string, string>, from: string, to: string, date: string | undefined) {
  if (!/^\d+\.\d+\.\d+$/.test(to)) throw new Error(`A version is like 1.2.3, not "${to}"`);
  const number = RegExp.escape(from);
  const ofNow = new RegExp(`(\\bpetstore[\`"'@ |-]+|"version": "|\\bVERSION = ")${number}(?![\\d.]*\\d)`, "gi");
  return new Map(Array.from(texts, ([path, text]) => {
    return [path, path === "CHANGELOG.md" ? prepareChangelog(text, to, date) : text.replaceAll(ofNow, `$1${to}`)];
  }));
}

function prepareChangelog(text: string, version: string, date: string | undefined): string {
  const heading = `## [${version}] - unreleased\n`;
  const isAwaited = text.includes(heading);
  if (date === undefined) return isAwaited ? text : text.replace(/^## /m, `${heading}\n## `);
  const [changes = ""] = text.split(heading)[1]?.split(/^## /m) ?? [];
  if (changes.includes("\n- ")) return text.replace(heading, `## [${version}] - ${date}\n`);
  throw new Error(`CHANGELOG.md must have "${heading.trim()}", and below it what has changed`);
}

if (import.meta.main) {
  const [version = "", when] = process.argv.slice(2);
  const pages = ["", "docs/", "bench/"].flatMap((folder) => readdirSync(ROOT + folder).map((name) => folder + name));
  const paths = ["deno.json", "lib/version.ts", ...pages.filter((path) => path.endsWith(".md"))];
  const texts = new Map(paths.map((path) => [path, readFileSync(ROOT + path, "utf8")]));
  const date = when === "unreleased" ? undefined : new Date().toISOString().slice(0, 10);
  try {
    for (const [path, text] of prepareRelease(texts, config.version, version, date)) {
      if (text === texts.get(path)) continue;
      writeFileSync(ROOT + path, text);
      console.log(`Changed ${path}`);
    }
    const missing = missingFrom(PROJECT);
    if (missing.length > 0) console.log(`Still to fill in, in tools/package/project.json: ${missing.join(", ")}`);
  } catch (error) {
    console.error(`release:prepare: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 2;
  }
}
