/** A tool of `deno task reliability`: what it says of itself, the options that it takes, and its run. */

import { type Finding, parseFlags, readCount, UsageError } from "../command_line.ts";

type Value = string | number | boolean;

/** An option by its default, which says its type, and what `--help` says of it. A text is one of the choices. */
export type Option<V> = readonly [fallback: V, help: string, choices?: readonly V[]];

export interface Run {
  /** Repeats the random choices of a run. The scheduler it cannot repeat. */
  seed: number;
  /** Removed at the end. */
  folder: string;
  /** Shows progress. */
  log(line: string): void;
}

export interface Report {
  figures: Record<string, string | number>;
  findings: readonly Finding[];
}

export interface Tool {
  about: string;
  help: readonly string[];
  /** Reads the options, and returns the run. Throws a {@link UsageError} if one is wrong. */
  prepare(args: readonly string[], help: string): { seed: number | undefined; start(run: Run): Promise<Report> };
}

export function defineTool<Values extends Record<string, Value>>(
  about: string,
  options: { readonly [name in keyof Values & string]: Option<Values[name]> },
  run: (values: Values, run: Run) => Promise<Report>,
): Tool {
  const entries = Object.entries<Option<Value>>(options);
  return {
    about,
    help: entries.map(([name, [fallback, help]]) => `--${name}`.padEnd(12) + `${help}; ${fallback} unless given`),
    prepare(args, help) {
      const flags = entries.map(([name, [fallback]]) =>
        [name, { type: typeof fallback === "boolean" ? "boolean" : "string" }] as const
      );
      const given: Record<string, unknown> = parseFlags(args, help, {
        ...Object.fromEntries(flags),
        seed: { type: "string" },
      });
      const values = Object.fromEntries(entries.map(([name, option]) => [name, read(name, given[name], option)]));
      const { seed } = given;
      return {
        seed: seed === undefined ? undefined : readCount("seed", String(seed), 0, 0),
        start: (context) => run(values as Values, context),
      };
    },
  };
}

function read(name: string, given: unknown, [fallback, , choices]: Option<Value>): Value {
  if (given === undefined || typeof given === "boolean") return given ?? fallback;
  if (typeof fallback === "number") return readCount(name, String(given), fallback);
  if (!choices || choices.includes(String(given))) return String(given);
  throw new UsageError(`--${name} must be ${choices.join(" or ")}, not ${JSON.stringify(given)}`);
}
