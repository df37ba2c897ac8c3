/** No regular expression of the library backtracks: each is found in the source and judged by a checker of its automaton. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { checkSync } from "recheck";
// The checker in JavaScript alone; the package's main module starts a binary instead.
import checker from "recheck/lib/browser.js";

type Check = (
  pattern: string,
  flags: string,
  parameters: Parameters<typeof checkSync>[2],
) => ReturnType<typeof checkSync>;
const { checkSync: check } = checker as unknown as { checkSync: Check };

const ROOT = new URL("../../", import.meta.url);

interface Expression {
  file: string;
  pattern: string;
  flags: string;
}

/** The source of every module that is published, scripts of the viewer included. */
async function* sources(folder = ROOT): AsyncGenerator<[file: string, text: string]> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    const path = url.href.slice(ROOT.href.length);
    if (isDirectory && (folder !== ROOT || name === "lib")) yield* sources(url);
    else if (!isDirectory && /\.[jt]s$/.test(name)) yield [path, await Deno.readTextFile(url)];
  }
}

/** Every regular expression in a source, by its syntax tree; throws at one that is made while the program runs. */
function expressionsOf(file: string, text: string): Expression[] {
  const found: Expression[] = [];
  const refuse = () => {
    throw new Error(`${file} makes a regular expression at run time, which nobody can check before`);
  };
  const plugin: Deno.lint.Plugin = {
    name: "find",
    rules: {
      expressions: {
        create: () => ({
          Literal({ raw }) {
            const end = raw.lastIndexOf("/");
            if (raw.startsWith("/")) found.push({ file, pattern: raw.slice(1, end), flags: raw.slice(end + 1) });
          },
          Identifier({ name }) {
            if (name === "RegExp") refuse();
          },
          // match(), matchAll() and search() make an expression of a text that they are given.
          "CallExpression > MemberExpression > Identifier[name=/^(match|matchAll|search)$/]"(node) {
            if (node.parent.type === "MemberExpression" && node.parent.property === node) refuse();
          },
        }),
      },
    },
  };
  Deno.lint.runPlugin(plugin, file, text);
  return found;
}

/** How the work grows with the length of the text; by reasoning about the automaton, never by trying. */
function growth({ pattern, flags }: Expression): string {
  const result = check(pattern, flags, { checker: "automaton", timeout: null });
  if (result.status === "unknown") {
    throw new Error(`/${pattern}/${flags} cannot be judged: ${JSON.stringify(result.error)}`);
  }
  const { type } = result.complexity;
  return result.status === "safe" ? "at most linear" : type;
}

test("no regular expression of the library takes more than linear work, whatever it is matched with", async () => {
  const files: string[] = [];
  const expressions: Expression[] = [];
  for await (const [file, text] of sources()) {
    files.push(file);
    expressions.push(...expressionsOf(file, text));
  }
  assert.ok(files.includes("lib/server/viewer/page/indent_json.js"));
  assert.ok(files.includes("server.ts") && files.includes("lib/server/log/access_log.ts") && files.length > 40);
  assert.ok(expressions.length >= 10, `only ${expressions.length} were found`);
  for (const expression of expressions) {
    assert.equal(growth(expression), "at most linear", `${expression.file}: /${expression.pattern}/`);
  }
});

test("the check for backtracking finds it where it is", () => {
  const growths = [["^(a|a)*$", "exponential"], ["^(?:a+)+$", "exponential"], ["\\s+$", "polynomial"], [
    "a*a*b",
    "polynomial",
  ]];
  for (const [pattern = "", expected] of growths) {
    assert.equal(growth({ file: "", pattern, flags: "" }), expected, pattern);
  }
  assert.equal(growth({ file: "", pattern: "^[a-z]+$", flags: "i" }), "at most linear");
});

test("the search for regular expressions finds literals, and refuses what is made at run time", () => {
  const found = expressionsOf("a.ts", 'const a = /x+/gu; f(/[/]"/); const b = "/no/"; // /no/');
  assert.deepEqual(found.map(({ pattern, flags }) => [pattern, flags]), [["x+", "gu"], ['[/]"', ""]]);
  for (const source of ['new RegExp("a")', "RegExp(x)", '"a".match("b")', "text.search(pattern)"]) {
    assert.throws(() => expressionsOf("a.ts", source), source);
  }
});
