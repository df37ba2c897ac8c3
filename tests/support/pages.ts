/** The pages that people read: README.md, docs/ and their like, and the code blocks in them. Deno only. */

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the checkout. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

export const PAGES: readonly string[] = globSync(["*.md", "docs/*.md", "packages/*/*.md"], { cwd: ROOT }).sort();

export function readPage(path: string): string {
  return readFileSync(ROOT + path, "utf8");
}

/** The fenced blocks of one language in a page's text. The first word names the language, as in `ts ignore`. */
export function blocksOf(page: string, language: string): string[] {
  return Array.from(page.matchAll(/^```(\w+)(.*)\n([^]*?)^```$/gm))
    .filter(([, first, rest]) => first === language && !rest?.includes("ignore"))
    .map(([, , , text]) => text ?? "");
}
