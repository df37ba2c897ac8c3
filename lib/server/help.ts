import { COMMANDS, type Setting, SETTINGS } from "./settings.ts";
import { OWN_PARAMETERS, POSTGRES_VARIABLES } from "./store/postgres_url.ts";

const LINE_WIDTH = 100;
const INDENT = " ".repeat(26);

/** The text of `--help`, made from the tables by which the settings are read. */
export const HELP: string = `Petstore: a REST service for the animals of a store

Usage: deno task serve [flags]

${Object.entries(SETTINGS).map(([flag, setting]) => describeSetting(flag, setting)).join("")}${
  Object.entries(COMMANDS).map(([flag, { help }]) => describeFlag(`--${flag}`, help)).join("")
}
Flags override the environment. Keys and passwords in flags are visible in the list of processes, so
prefer the environment.

${
  wrap(
    "For parts that a postgres:// address omits, the server reads PostgreSQL's own variables: " +
      `${enumerate(Object.values(POSTGRES_VARIABLES))}. Parameters after the question mark of the address can be ` +
      `${enumerate([...Object.keys(POSTGRES_VARIABLES), ...Object.keys(OWN_PARAMETERS)])}. The last three are the ` +
      "petstore's own: the number of connections, whether to prepare statements (false for a PgBouncer without " +
      "support for them), and the schema of the tables.",
    LINE_WIDTH,
  ).join("\n")
}
`;

function describeSetting(flag: string, setting: Setting): string {
  const { kind, value, variable, example } = setting;
  const form = kind === "switch" ? `--${flag}, --no-${flag}` : `--${flag} <${value}>`;
  const notes = [
    ...(kind === "list" ? ["repeatable"] : []),
    variable + (kind === "switch" ? "=on|off" : kind === "list" ? " separated by commas" : ""),
    ...(setting.default === "" ? [] : [`default ${setting.default}`]),
    ...(example === undefined ? [] : [`such as ${example}`]),
  ];
  return describeFlag(form, kind === "switch" ? `${setting.help}, or do not` : setting.help, `[${notes.join(", ")}]`);
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

function enumerate(items: readonly string[]): string {
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
