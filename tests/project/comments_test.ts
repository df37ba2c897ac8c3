/** Comments give reasons, so there are few of them. */

import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";

const LIB = fileURLToPath(new URL("../../lib/", import.meta.url));

/** How many words of comments a folder of lib may have for 100 lines of code. */
const MOST = 220;

/** The folders that have more. */
const NOT_YET: Readonly<Record<string, number>> = { client: 290 };

/** Counts the words of whole lines of comment, marks included and examples not, for 100 other lines that are not blank. */
function wordsOfComments(sources: readonly string[]): number {
  let words = 0, code = 0, isInside = false, isExample = false;
  for (const line of sources.join("\n").split("\n").map((line) => line.trim()).filter((line) => line !== "")) {
    const isBlock: boolean = isInside || line.startsWith("/*");
    isInside = isBlock && !line.includes("*/");
    if (line.startsWith("* ```")) isExample = !isExample;
    if (!isBlock && !line.startsWith("//")) code++;
    else if (!isExample) words += line.split(/\s+/).length;
  }
  return 100 * words / code;
}

test("a folder of lib has at most 220 words of comments for 100 lines of code", () => {
  const folders = readdirSync(LIB, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.ok(folders.length > 0);
  for (const { name } of folders) {
    const paths = globSync(`${name}/**/*.ts`, { cwd: LIB, exclude: (name) => name === "node_modules" });
    const words = wordsOfComments(paths.map((path) => readFileSync(LIB + path, "utf8")));
    const most = NOT_YET[name] ?? MOST;
    assert.ok(words <= most, `lib/${name} has ${words.toFixed(1)} words of comments, and may have ${most}`);
  }
});
