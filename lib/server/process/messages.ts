/**
 * Parts of messages: numbers and addresses, lines of visible characters alone, commands as the user
 * would type them, and the names that a mistyped word may mean.
 */

import { existsSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import { ON_DENO } from "../../http/platform.ts";
import { mayAccess } from "../../stores/sqlite/permissions.ts";

/** A host and a port as in a URL, with an IPv6 address in brackets. */
export function formatAddress({ hostname, port }: { hostname: string; port: number }): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/** Formats a number of pets for messages. */
export function formatPetCount(count: number | bigint): string {
  return Number(count) === 1 ? "1 pet" : `${count} pets`;
}

/** A line of the log as a JSON object. A line that begins with a brace is one already. */
export function asJsonLine(line: string): string {
  if (line.startsWith("{")) return line;
  return JSON.stringify({ time: new Date().toISOString(), message: line.replace(/^petstore: /, "") });
}

/** A message without Deno's advice, on one line. A setting or a text of another program may contain line ends. */
export function oneLine(message: string): string {
  return escapeUnseen(withoutAdvice(message));
}

/** Text as a JSON string, in which every character can be seen. */
export function quoteVisibly(text: string): string {
  return escapeUnseen(JSON.stringify(text));
}

/**
 * Turns characters that cannot be seen, or that some readers take for a line end or a command, into
 * escape sequences of JSON: controls, Unicode's line ends, and format characters such as a byte
 * order mark.
 */
function escapeUnseen(text: string): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (each) => each.split("").map(escapeUnit).join(""));
}

/**
 * Replaces Deno's advice to grant a permission. The server lacks the permission on purpose, and the
 * actual mistake is in the given path or address.
 */
export function withoutAdvice(message: string): string {
  return message.replaceAll(/, run again with the --allow-[a-z]+ flag/g, ", which the server was started without");
}

/**
 * A command of this program, such as `keys list`, in the form in which the user has started it:
 * `deno task petstore keys list` in the folder of a checkout,
 * `node lib/server/node/main.ts keys list` there on Node, and `npx @petstore/petstore keys list`
 * where npm has installed the package. Anywhere else, such as in a container, the program is called
 * `petstore`.
 */
export function commandLine(command: string): string {
  return `${programName()} ${command}`;
}

function programName(): string {
  const [, main = ""] = process.argv;
  if (/[\\/]node_modules[\\/]/.test(main)) return "npx @petstore/petstore";
  if (!ON_DENO) return main.endsWith("main.ts") ? `node ${relative(process.cwd(), main)}` : "petstore";
  const isCheckout = ["deno.json", "server.ts"].every((path) => mayAccess("read", path) && existsSync(path));
  return isCheckout ? "deno task petstore" : "petstore";
}

/**
 * The question in a message about a mistyped word, as git asks it: the first name that begins with
 * the word, such as --cors, or is nearly the same. The result is "" if there is none.
 */
export function didYouMean(word: string, names: readonly string[], prefix = ""): string {
  const similar = names.find((name) => name.startsWith(word)) ??
    names.find((name) => differingLength(word, name) <= 2);
  return similar === undefined ? "" : ` (did you mean ${prefix}${similar}?)`;
}

/** How many letters are left of the longer of two words without their common beginning and their common end. */
export function differingLength(one: string, other: string): number {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let ends = 0;
  const rest = Math.min(one.length, other.length) - start;
  while (ends < rest && one.at(-1 - ends) === other.at(-1 - ends)) ends++;
  return Math.max(one.length, other.length) - start - ends;
}
