/** The help texts, made from the tables that define the command line. */

import type { Option } from "../settings/flags.ts";
import { type Command, optionsOf } from "./command.ts";

const LINE_WIDTH = 100;
const INDENT = " ".repeat(26);

/** The meanings of the exit statuses of most commands. */
const STATUSES = [
  "success",
  "a temporary obstacle, such as a port in use, a full disk or a locked database: try again",
  "a wrong command line or setting, or a file that cannot be used: trying again does not help",
];

/**
 * The text of `petstore --help`, or of a group of commands.
 *
 * @param group The beginning of their names with its space, such as `keys `.
 */
export async function describeProgram(
  commands: Readonly<Record<string, () => Promise<Command>>>,
  group = "",
): Promise<string> {
  const rows: string[] = [];
  for (const [name, load] of Object.entries(commands)) rows.push(describeFlag(name, (await load()).summary));
  const title = group === "" ? "Petstore: a REST service for the pets of a store\n\n" : "";
  const fallback = group === "" ? "Without a command, serve runs. " : "";
  return `${title}Usage: petstore ${group}<command> [flags]

Commands:
${rows.join("")}
${fallback}--help after a command shows its flags, and --version prints the version.

${describeStatuses(STATUSES)}`;
}

/** The text of `petstore <command> --help`. */
export function describeCommand(name: string, command: Command): string {
  const { operand, examples, statuses = STATUSES } = command;
  const { summary } = command;
  const about = command.about.split("\n\n").map((text) => `${wrap(text, LINE_WIDTH).join("\n")}\n\n`);
  return `${summary[0]!.toUpperCase()}${summary.slice(1)}

Usage: petstore ${name}${operand === undefined ? "" : ` <${operand}>`} [flags]

${Object.entries(optionsOf(command)).map(describeOption).join("")}
${about.join("")}Examples:
${examples.map((line) => `  ${line}\n`).join("")}
${describeStatuses(statuses)}`;
}

function describeStatuses(statuses: readonly string[]): string {
  return `Exit status:\n${statuses.map((meaning, status) => `  ${status}  ${meaning}\n`).join("")}`;
}

function describeOption([flag, option]: [string, Option]): string {
  const { value, short, isList, variable, alias, example, help } = option;
  const other = short !== undefined ? `, -${short}` : variable === undefined ? "" : `, --no-${flag}`;
  const form = value === undefined ? other : ` <${value}>`;
  const notes = [
    ...(isList ? ["repeatable"] : []),
    ...(variable === undefined ? [] : [variable + (isList ? " separated by commas" : value ? "" : "=on|off")]),
    ...(alias === undefined ? [] : [`or ${alias}`]),
    ...(option.default === undefined ? [] : [`default ${option.default}`]),
    ...(example === undefined ? [] : [`such as ${example}`]),
  ];
  return describeFlag(`--${flag}${form}`, help, notes.length === 0 ? undefined : `[${notes.join(", ")}]`);
}

/** A flag with its help text in the second column, and its note on a separate line. */
function describeFlag(form: string, help: string, note?: string): string {
  const lines = [...wrap(help, LINE_WIDTH - INDENT.length), ...(note === undefined ? [] : [note])];
  const isShort = form.length + 3 < INDENT.length;
  const first = isShort ? `  ${form}`.padEnd(INDENT.length) + lines.shift() : `  ${form}`;
  return [first, ...lines.map((line) => INDENT + line)].join("\n") + "\n";
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
