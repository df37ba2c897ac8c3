/** The help texts, made from the tables that define the command line. */

import { SWITCH } from "../settings/formats.ts";
import type { Option } from "../settings/options.ts";
import type { Command } from "./command.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./table.ts";

const LINE_WIDTH = 100;
const INDENT = " ".repeat(26);

const EXIT_STATUSES = `Exit status:
  0  success
  1  a temporary obstacle, such as a full disk or a server that is not ready: try again
  2  a wrong command line or setting, or a file that cannot be used: trying again does not help
`;

/** The text of `petstore --help`. */
export async function describeProgram(): Promise<string> {
  const rows: string[] = [];
  for (const [name, load] of Object.entries(COMMANDS)) rows.push(describeRow(name, (await load()).summary));
  return `Petstore: a REST service for the pets of a store

Usage: petstore <command> [flags]

Commands:
${rows.join("")}
Without a command, ${DEFAULT_COMMAND} runs. --help after a command shows its flags, and --version prints the version.

${EXIT_STATUSES}`;
}

/** The text of `petstore <command> --help`. */
export function describeCommand(name: string, command: Command): string {
  const { operand, summary, options, examples } = command;
  const about = command.about.split("\n\n").map((text) => `${wrap(text, LINE_WIDTH).join("\n")}\n\n`);
  return `${summary[0]!.toUpperCase()}${summary.slice(1)}

Usage: petstore ${name}${operand === undefined ? "" : ` <${operand}>`} [flags]

${Object.entries(options).map(describeOption).join("")}
${about.join("")}Examples:
${examples.map((line) => `  ${line}\n`).join("")}
${EXIT_STATUSES}`;
}

/**
 * The lines of an option, such as:
 *
 * ```txt
 *   --port <number>         port to listen on, 0 for a free one
 *                           [PETSTORE_PORT, or PORT, default 8000]
 * ```
 */
function describeOption([flag, option]: [string, Option]): string {
  const { format, isList, variable, alias, help } = option;
  const notes: string[] = [];
  if (isList) notes.push("repeatable");
  if (variable !== undefined) notes.push(variable);
  if (alias !== undefined) notes.push(`or ${alias}`);
  if (option.default !== undefined) notes.push(`default ${option.default}`);
  const form = format === SWITCH ? switchForm(flag, option) : ` <${format.placeholder}>`;
  return describeRow(`--${flag}${form}`, help, notes);
}

/**
 * What follows a switch in the help text: its short form, or `--no-x` if it is a setting, which may
 * be on by default.
 */
function switchForm(flag: string, { short, variable }: Option): string {
  if (short !== undefined) return `, -${short}`;
  return variable === undefined ? "" : `, --no-${flag}`;
}

/** Puts a flag or a command into the first column, its help text into the second, and the notes below this text. */
function describeRow(form: string, help: string, notes: readonly string[] = []): string {
  const lines = wrap(help, LINE_WIDTH - INDENT.length);
  if (notes.length > 0) lines.push(`[${notes.join(", ")}]`);
  const second = lines.map((line) => `${INDENT}${line}\n`).join("");
  const first = `  ${form}`;
  // At least two spaces stand between the columns. A longer form has a line of its own.
  const fitsColumn = first.length + 2 <= INDENT.length;
  return fitsColumn ? first + second.slice(first.length) : `${first}\n${second}`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
