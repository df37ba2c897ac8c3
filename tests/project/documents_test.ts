/** README.md and docs/ agree with the code, with the files, and with one another. */

import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import test from "node:test";
import config from "../../deno.json" with { type: "json" };
import { ERROR_STATUS } from "../../lib/error_codes.ts";
import { createOpenApiFile } from "../../tools/docs/openapi_file.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { PAGES, readPage, ROOT } from "../support/pages.ts";
import { runHere } from "../support/server/in_process.ts";

/** That a package has the files to which its pages lead, `tests/heavy/package/contents_test.ts` checks. */
test("every link leads to a file, and to a heading in it", () => {
  const dead: string[] = [];
  for (const page of PAGES) {
    for (const [, link = "", anchor] of readPage(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
      const path = link === "" ? page : normalize(join(dirname(page), decodeURIComponent(link)));
      if (!existsSync(ROOT + path)) dead.push(`${page}: ${path}`);
      else if (anchor !== undefined && !anchorsOf(path).includes(anchor)) dead.push(`${page}: ${path}#${anchor}`);
    }
  }
  assert.deepEqual(dead, []);
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  return Array.from(
    readPage(path).matchAll(/^#+ (.+)$/gm),
    ([, heading = ""]) => heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"),
  );
}

test("no page passes a secret as an argument: the list of processes would show it, and deno task prints it", () => {
  // `test` is no secret: it is the key of servers that keep nothing.
  const secret = /--key[= ](?!sha256:|test )|--store[= ]\S*:\/\/[^\s/@]*:[^\s/@]*@|(?<!curl .*)\$\(cat [^)]*key/;
  const lines = PAGES.flatMap((page) => readPage(page).split("\n").map((line) => `${page}: ${line}`));
  const commands = lines.filter((line) => /\b(petstore|deno task|npx|main\.ts|server\.ts) /.test(line));
  assert.ok(commands.length > 50);
  assert.deepEqual(commands.filter((line) => secret.test(line)), []);
});

test("every file and every task that a page names exists", () => {
  // A CHANGELOG names the files of its time.
  for (const page of PAGES.filter((path) => path !== "CHANGELOG.md")) {
    const files = matches(readPage(page), /(?<=`)(?:lib|packages|tests|docs|tools|bench)\/[\w/.-]+(?=`)/g);
    const tasks = matches(readPage(page), /(?<=\bdeno task )[a-z]+(?::[a-z]+)?/g);
    assert.deepEqual(files.filter((path) => !existsSync(ROOT + path)), [], page);
    assert.deepEqual(tasks.filter((task) => !(task in config.tasks)), [], page);
  }
});

test("CONTRIBUTING.md and docs/tour.md name only code and files that exist", () => {
  const exclude = (path: string) => /(^|\/)(node_modules|npm)$/.test(path);
  const paths = globSync("**/*.{ts,mjs,json}", { cwd: ROOT, exclude });
  const words = new Set(paths.flatMap((path) => matches(readPage(path), /[A-Za-z_]\w*\(?/g)));
  // A function is named with its parenthesis.
  for (const page of ["CONTRIBUTING.md", "docs/tour.md"]) {
    const names = matches(readPage(page).replaceAll(/^```[^]*?^```$/gm, ""), /(?<=`)\w[\w./]*\(?(?=\)?`)/g);
    const isFile = (name: string) => existsSync(ROOT + name) || paths.some((path) => path.endsWith(`/${name}`));
    const isCode = (name: string) => name.split(".").every((word) => words.has(word));
    assert.deepEqual(names.filter((name) => !isFile(name) && !isCode(name)), [], page);
  }
});

/** The lines of a page below a heading of the second level. */
function sectionOf(page: string, heading: string): string {
  return new RegExp(`^## ${heading}\n([^]*?)^##`, "m").exec(readPage(page))?.[1] ?? "";
}

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([match, named]) => named ?? match);
}

async function printHelp(...command: string[]): Promise<string> {
  const { status, stdout } = await runHere([...command, "--help"]);
  assert.equal(status, 0);
  return stdout.split("\nExamples:")[0]!;
}

const FLAG = /--[a-z][a-z-]*/g;
const VARIABLE = /\b(?:PORT|PETSTORE_[A-Z_]+)\b/g;
const SETTINGS = sectionOf("docs/server.md", "Settings");
const SERVE_HELP = await printHelp("serve");

/** What each page names in a table or in its text, and what the code has. */
const NAMED: Record<string, [named: string[], existing: string[]]> = {
  "docs/server.md names the commands": [
    matches(sectionOf("docs/server.md", "Commands"), /^\| `([a-z]+)(?: <[a-z]+>)?` +\|/gm),
    matches(await printHelp(), /^ {2}([a-z]+)(?: \[[a-z]+\])? {3,}/gm),
  ],
  // The version is printed without a command.
  "docs/server.md names the flags": [matches(SETTINGS, FLAG), [...matches(SERVE_HELP, FLAG), "--version"]],
  "docs/server.md names the variables": [
    matches(SETTINGS.replaceAll(/^[^|].*$/gm, ""), VARIABLE),
    matches(SERVE_HELP, VARIABLE),
  ],
  "docs/http.md names the error codes and the statuses": [
    Array.from(
      readPage("docs/http.md").matchAll(/^\| `([a-z_]+)` *\| (\d{3}) *\|/gm),
      ([, code, status]) => `${code} ${status}`,
    ),
    Object.entries(ERROR_STATUS).map(([code, status]) => `${code} ${status}`),
  ],
  "the client's type names the error codes": [
    // The type ends with the first empty line.
    matches(readPage("packages/client/lib/error.ts").split("\n\n")[0]!, /^ {2}\| "([a-z_]+)"$/gm),
    Object.keys(ERROR_STATUS),
  ],
  "docs/library.md names the options": [
    matches(sectionOf("docs/library.md", "Options"), /^\| `(\w+)`/gm),
    Object.keys(checkOptions({ keys: ["k"] })),
  ],
};

for (const [what, [named, existing]] of Object.entries(NAMED)) {
  test(`${what} of the code, and no other`, () => {
    assert.ok(existing.length >= 5);
    assert.deepEqual(new Set(named), new Set(existing));
  });
}

test("openapi.json is what deno task docs writes today", () => {
  assert.equal(readPage("openapi.json"), createOpenApiFile());
});
