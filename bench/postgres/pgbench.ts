/** pgbench with the store's own statements. */

import { join } from "node:path";
import { statementsFor } from "../../lib/stores/postgres/statements.ts";
import { DEFAULT_SCHEMA } from "../../lib/stores/postgres/client/client.ts";
import type { Cluster } from "../../tests/support/postgres/cluster.ts";
import { LOAD_CORE } from "../load/cores.ts";

const { pet, all, add } = statementsFor(DEFAULT_SCHEMA);

/** A script for pgbench. Its variables are the text parameters of the prepared statements. */
export interface Script {
  text: string;
  variables?: Record<string, string>;
}

/** In seconds: the first statement of a new process of PostgreSQL takes up to 45 ms, also while it holds the lock of creates. */
const WARM_UP = 3;

/** What all clients got. */
export interface Answers {
  /** A second, after the warm-up. */
  rate: number;
  /** In all, also in the warm-up. */
  count: number;
}

/** Runs a script of one statement, which adds or reads so many pets. */
export async function runPgbench(
  { bin, port }: Cluster,
  folder: string,
  { text, variables = {} }: Script,
  clients: number,
  seconds: number,
  pets = 1,
): Promise<Answers> {
  const file = join(folder, "script.sql");
  await Deno.writeTextFile(file, text);
  const duration = ["-T", String(WARM_UP + seconds), "-P", "1"];
  const size = ["-M", "prepared", "-n", "-c", String(clients), "-j", "1", ...duration, "-f", file];
  const given = Object.entries(variables).flatMap(([name, value]) => ["-D", `${name}=${value}`]);
  const at = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", "postgres"];
  const command = new Deno.Command("taskset", {
    args: ["-c", String(LOAD_CORE), join(bin, "pgbench"), ...size, ...given, ...at],
  });
  const { success, stdout, stderr } = await command.output();
  const [totals = "", progress = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`pgbench failed: ${progress.trim()}`);
  const measured = Array.from(progress.matchAll(/^progress: .* ([\d.]+) tps/gm), ([, rate]) => Number(rate)).slice(
    WARM_UP,
  );
  const rate = measured.reduce((sum, each) => sum + each, 0) / measured.length;
  return { rate: pets * rate, count: pets * Number(/^number of transactions .*: (\d+)/m.exec(totals)?.[1]) };
}

/** Reads a random pet by its id. */
export function petScript(pets: number): Script {
  return { text: `\\set id random(1, ${pets})\n${place(pet, ["id"])};\n` };
}

/** Reads the first page. */
export function pageScript(limit: number): Script {
  return { text: `${place(all, ["after", "limit"])};\n`, variables: { after: "0", limit: String(limit + 1) } };
}

/** Reads the page after a random pet. */
export function anyPageScript(limit: number, pets: number): Script {
  const variables = { limit: String(limit + 1) };
  return { text: `\\set after random(1, ${pets - limit})\n${place(all, ["after", "limit"])};\n`, variables };
}

/** Adds several pets in one statement and one commit, like the store. */
export function addScript(rows: number): Script {
  const array = (text: string) => `{${Array.from({ length: rows }, () => text).join(",")}}`;
  const names = ["names", "categories", "statuses", "keys", "fingerprints", "retentions"];
  const values = [array('"Bartholomew"'), array("7"), array("1"), "{}", "{}", "{}"];
  return {
    text: `${place(add, names)};\n`,
    variables: Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""])),
  };
}

/** Puts a statement on one line, with variables in place of its parameters. */
function place(statement: string, variables: readonly string[]): string {
  return statement.replaceAll(/\s*\n\s*/g, " ").replaceAll(
    /\$(\d+)/g,
    (_, number) => `:${variables[Number(number) - 1]}`,
  );
}
