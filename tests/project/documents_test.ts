/** README.md and docs/ agree with the code, with the files, and with one another. */

import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import test from "node:test";
import config from "../../deno.json" with { type: "json" };
import { EVERYDAY, PACKAGES } from "../../tools/test/parts.ts";
import { ERROR_STATUS } from "../../lib/error_codes.ts";
import { createOpenApiFile } from "../../tools/docs/openapi_file.ts";
import { drawLayers } from "../../tools/docs/layers.ts";
import { deprecationOf } from "../../lib/operations/definition.ts";
import { OPERATIONS } from "../../lib/operations/table.ts";
import { checkOptions, OPTION_NAMES } from "../../lib/petstore/checked_options.ts";
import { blocksOf, PAGES, readPage, ROOT } from "../support/pages.ts";
import { runHere } from "../support/server/in_process.ts";

test("README.md leads to every page, and names every package", () => {
  const readme = readPage("README.md");
  const missing = PAGES.filter((path) => {
    const [, name] = /^packages\/(\w+)\/README\.md$/.exec(path) ?? [];
    return path !== "README.md" && !readme.includes(name === undefined ? `](${path})` : `@petstore/${name}`);
  });
  assert.deepEqual(missing, []);
});

/** The folder of the package to which a file belongs; empty for the house. */
function packageOf(path: string): string {
  return /^packages\/\w+/.exec(path)?.[0] ?? "";
}

/** Whether the package of a file has it. */
function isPublic(path: string): boolean {
  return /^[A-Z]+\.md$|^LICENSE$|^openapi\.json$|^docs\/|^bench\/[\w.]+$|^packages\/\w+\/[A-Z]+(\.md)?$/.test(path);
}

test("every link leads to a file, and to a heading in it", () => {
  const dead: string[] = [];
  for (const page of PAGES) {
    for (const [, link = "", anchor] of readPage(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
      const path = link === "" ? page : normalize(join(dirname(page), decodeURIComponent(link)));
      // A package has its own pages, and no other file of the repository.
      const isPublished = !isPublic(page) || isPublic(path) && packageOf(path) === packageOf(page);
      if (!existsSync(ROOT + path) || !isPublished) dead.push(`${page}: ${path}`);
      else if (anchor !== undefined && !anchorsOf(path).includes(anchor)) dead.push(`${page}: ${path}#${anchor}`);
    }
  }
  assert.deepEqual(dead, []);
});

test("no two pages use the same Idempotency-Key, since a reader tries both on the same data", () => {
  const keys = PAGES.flatMap((page) => {
    const found = readPage(page).matchAll(/Idempotency-Key: ([\w-]+)"|^\$ KEY=([\w-]+)$/gm);
    return [...new Set(Array.from(found, ([, inline, variable]) => inline ?? variable))];
  });
  assert.ok(keys.length >= 1);
  assert.equal(new Set(keys).size, keys.length);
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  return Array.from(
    readPage(path).matchAll(/^#+ (.+)$/gm),
    ([, heading = ""]) => heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"),
  );
}

test("every file that a page names exists", () => {
  // A CHANGELOG names the files of its time.
  const missing = PAGES.filter((path) => path !== "CHANGELOG.md").flatMap((page) =>
    matches(readPage(page), /(?<=`)(?:lib|packages|tests|docs|tools|bench)\/[\w/.-]+(?=`)/g)
      .filter((path) => !existsSync(ROOT + path))
      .map((path) => `${page}: ${path}`)
  );
  assert.deepEqual(missing, []);
});

/** Files that a reader makes, in place of files of this repository. */
const READERS_FILES = ["app.ts", "call.ts"];

test("every TypeScript file that a page names by the end of its path exists", () => {
  const files = globSync("{,{lib,packages,tests,tools,bench}/**/}*.ts", {
    cwd: ROOT,
    exclude: (path) => path.endsWith("node_modules"),
  });
  const missing = PAGES.filter((path) => path !== "CHANGELOG.md").flatMap((page) =>
    matches(readPage(page), /(?<=`)[\w./-]+\.ts(?=`)/g)
      .filter((name) => !READERS_FILES.includes(name) && !files.some((path) => `/${path}`.endsWith(`/${name}`)))
      .map((name) => `${page}: ${name}`)
  );
  assert.deepEqual(missing, []);
});

test("every task that a page names exists", () => {
  for (const page of PAGES) {
    for (const [, task = ""] of readPage(page).matchAll(/\bdeno task ([a-z]+(?::[a-z]+)?)/g)) {
      assert.ok(task in config.tasks, `${page} names ${task}`);
    }
  }
});

test("no page passes a secret as an argument: the list of processes would show it, and deno task prints it", () => {
  // `test` is no secret: it is the key of servers that keep nothing.
  const secret = /--key[= ](?!sha256:|test )|--store[= ]\S*:\/\/[^\s/@]*:[^\s/@]*@|(?<!curl .*)\$\(cat [^)]*key/;
  const lines = PAGES.flatMap((page) => readPage(page).split("\n").map((line) => `${page}: ${line}`));
  const commands = lines.filter((line) => /\b(petstore|deno task|npx|main\.ts|server\.ts) /.test(line));
  assert.ok(commands.length > 50);
  assert.deepEqual(commands.filter((line) => secret.test(line)), []);
});

test("a part of the tests runs the TypeScript and JavaScript of docs/", () => {
  // The programs of README.md do not end by themselves, docs/hosts.md is made of tested files, and what
  // CONTRIBUTING.md shows is not in the code.
  const elsewhere = ["CONTRIBUTING.md", "README.md", "docs/hosts.md"];
  const pages = PAGES.filter((path) =>
    [...blocksOf(readPage(path), "ts"), ...blocksOf(readPage(path), "js")].length > 0
  );
  const commands = Object.values({ ...EVERYDAY, ...PACKAGES }).map(({ command }) => command);
  const words = commands.filter((command) => command.includes(" --doc ")).flatMap((command) => command.split(" "));
  const isRun = (path: string) => words.includes(path) || words.includes(dirname(path));
  assert.deepEqual(pages.filter(isRun), pages.filter((path) => !elsewhere.includes(path)));
});

test("docs/server.md names every command that --help prints, and no other", async () => {
  const [, section = ""] = /^## Commands\n([^]*?)^##/m.exec(readPage("docs/server.md")) ?? [];
  const rows = section.matchAll(/^\| `([a-z]+)(?: <[a-z]+>)?` +\|/gm);
  const commands = (await printHelp()).matchAll(/^ {2}([a-z]+)(?: \[[a-z]+\])? {3,}/gm);
  assert.deepEqual(Array.from(rows, ([, name]) => name), Array.from(commands, ([, name]) => name));
});

test("docs/server.md names every flag, variable and default that serve --help prints, and no other", async () => {
  const [help = ""] = (await printHelp("serve")).split("\nExamples:");
  const [, section = ""] = /^## Settings\n([^]*?)^##/m.exec(readPage("docs/server.md")) ?? [];
  // The version is printed without a command.
  assert.deepEqual(new Set(matches(section, FLAG)), new Set([...matches(help, FLAG), "--version"]));
  const table = section.split("\n").filter((line) => line.startsWith("| ")).join("\n");
  assert.deepEqual(new Set(matches(table, VARIABLE)), new Set(matches(help, VARIABLE)));
  const defaults = Array.from(help.matchAll(/, default (\S+)\]/g), ([, value]) => value);
  assert.ok(defaults.length >= 5);
  const rows = table.split("\n").slice(1);
  for (const value of defaults) {
    const isShown = rows.some((row) => row.includes(`| \`${value}\``) || row.includes(`| ${value}: `));
    assert.ok(isShown, `${value} is not a default in the table`);
  }
});

const FLAG = /--[a-z][a-z-]*/g;
const VARIABLE = /\b(?:PORT|PETSTORE_[A-Z_]+)\b/g;

async function printHelp(...command: string[]): Promise<string> {
  const { status, stdout } = await runHere([...command, "--help"]);
  assert.equal(status, 0);
  return stdout;
}

test("docs/http.md names every error code with its status, and no other", () => {
  const rows = readPage("docs/http.md").matchAll(/^\| `([a-z_]+)` *\| (\d{3}) *\|/gm);
  assert.deepEqual(Object.fromEntries(Array.from(rows, ([, code, status]) => [code, Number(status)])), ERROR_STATUS);
});

test("docs/http.md has a table of the operations as they are defined", () => {
  const row =
    /^\| `(\w+)` +\| `([A-Z]+ \/\S*)` +\| (a key(?: that may write)?) +\| (\d{4}-\d{2}-\d{2})? *\| .+? *\|$/gm;
  const shown = Array.from(readPage("docs/http.md").matchAll(row), (columns) => columns.slice(1));
  const settings = checkOptions({ keys: ["k"] });
  const defined = OPERATIONS.map((definition) => {
    const { id, method, effect, path } = definition;
    const needs = effect === "reads" ? "a key" : "a key that may write";
    return [id, `${method} ${path}`, needs, deprecationOf(definition, settings)?.since.toISOString().slice(0, 10)];
  });
  assert.deepEqual(shown, defined);
});

test("openapi.json is the description of today, with samples of every operation", () => {
  assert.equal(readPage("openapi.json"), createOpenApiFile(), "Run deno task docs");
});

test("docs/library.md names every option, and no other", () => {
  const [, section = ""] = /^## Options\n([^]*?)^##/m.exec(readPage("docs/library.md")) ?? [];
  assert.deepEqual(Array.from(section.matchAll(/^\| `(\w+)`/gm), ([, name]) => name), [...OPTION_NAMES]);
});

test("the page of the client names every option and every code of its own, and no other", () => {
  const page = readPage("packages/client/README.md");
  const source = (file: string) => readPage(`packages/client/lib/${file}.ts`);
  const [, options = ""] = /interface ClientOptions \{([^]*?)^\}/m.exec(source("options")) ?? [];
  const [, codes = ""] = /type ClientErrorCode = ([^;]*)/.exec(source("error")) ?? [];
  const expected = [...matches(options, /(?<=^ {2})\w+(?=\??:)/gm), ...matches(codes, /\w+/g)];
  assert.ok(expected.length >= 9);
  assert.deepEqual(matches(page, /(?<=^\| `)\w+(?=` +\|)/gm), expected);
});

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([match]) => match);
}

test("the picture of docs/tour.md has the layers of today", () => {
  assert.deepEqual(blocksOf(readPage("docs/tour.md"), "mermaid"), [drawLayers()], "Run deno task docs");
});
