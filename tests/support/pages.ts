/** The pages that people read: README.md, docs/ and their like, and the code blocks in them. Deno only. */

import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export const PAGES: readonly string[] = globSync(["*.md", "docs/*.md", "packages/*/*.md"], { cwd: ROOT }).sort();

/** A command of a `console` block, and the output that the page shows for it. */
export interface Command {
  line: string;
  output: string;
}

export function readPage(path: string): string {
  return readFileSync(ROOT + path, "utf8");
}

/** The fenced blocks of one language in a page's text. The first word names the language, as in `ts ignore`. */
export function blocksOf(page: string, language: string): string[] {
  return Array.from(page.matchAll(/^```(\w+)(.*)\n([^]*?)^```$/gm))
    .filter(([, first, rest]) => first === language && !rest?.includes("ignore"))
    .map(([, , , text]) => text ?? "");
}

/** The commands of the `console` blocks in a page's text. A prompt begins a command; its output ends at the next prompt. */
export function commandsOf(page: string): Command[] {
  return blocksOf(page, "console").flatMap((block) =>
    block.split(/^\$ /m).slice(1).map((text) => {
      const end = text.indexOf("\n");
      return { line: text.slice(0, end), output: text.slice(end + 1).trimEnd() };
    })
  );
}
