/** No regular expression of the library backtracks: a checker analyses the automaton of each one in the source. */

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import type { checkSync } from "recheck";
// The checker in plain JavaScript; the package's main module starts a binary.
import checker from "recheck/lib/browser.js";
import { readPage, ROOT } from "../support/pages.ts";

// The package types its other entry only.
const { checkSync: check } = checker as unknown as { checkSync: typeof checkSync };

interface Expression {
  file: string;
  pattern: string;
  flags: string;
}

/**
 * Every module that a request can reach, including the scripts of the viewer. Settings and command
 * lines are the operator's own.
 */
const FILES = globSync("lib/**/*.{js,ts}", { cwd: ROOT })
  .filter((path) => !/^lib\/server\/(settings|commands)\//.test(path));

/** Every regular expression in the syntax tree of a source. Throws for one that is made at run time. */
function expressionsOf(file: string, text: string): Expression[] {
  const found: Expression[] = [];
  const refuse = () => {
    throw new Error(`${file} makes a regular expression at run time, which this test cannot check`);
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
          // match(), matchAll() and search() make an expression from a string.
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

/**
 * How the work grows with the length of the text, from an analysis of the automaton. A literal at
 * the beginning is left out, but for its last character: it adds no more than its length to the
 * work at each place, and much to the size of the automaton.
 */
function growth({ pattern, flags }: Expression): string {
  const short = pattern.replace(/^[\w ,-]+(?=[\w ,-][[\w])|(?<=^\()[\w ,-]+(?=[\w ,-]\): )/, "");
  const result = check(short, flags, { checker: "automaton", timeout: null });
  if (result.status === "unknown") {
    throw new Error(`/${pattern}/${flags} cannot be analysed: ${JSON.stringify(result.error)}`);
  }
  return result.status === "safe" ? "at most linear" : result.complexity.type;
}

test("every regular expression of the library takes at most linear work", () => {
  const expressions = FILES.flatMap((file) => expressionsOf(file, readPage(file)));
  assert.ok(FILES.includes("lib/server/viewer/page/indent_json.js"));
  assert.ok(expressions.length >= 10, `only ${expressions.length} were found`);
  for (const expression of expressions) {
    assert.equal(growth(expression), "at most linear", `${expression.file}: /${expression.pattern}/`);
  }
});
