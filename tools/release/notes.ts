/**
 * `deno task release:notes` prints the notes of the version in deno.json, for a GitHub Release: its
 * section of the CHANGELOG, without the heading.
 */

import { readPackages } from "./packages.ts";
import { readTexts, sectionOf } from "./prepare.ts";

const heading = `## [${sectionOf(readPackages()[0]!.config.version)}] - `;
const [, section = ""] = readTexts().get("CHANGELOG.md")!.split(heading);
console.log(section.replace(/^.*\n/, "").split(/^## /m)[0]!.trim());
