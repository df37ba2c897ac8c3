/**
 * `deno task bench`: the service beside others, this tree beside another commit (`--against`), or
 * the latency of many users.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { sectionsAgainst } from "./against.ts";
import { measureLatency } from "./latency.ts";
import { STOP } from "./load/wrk.ts";
import { digits, formatPage, formatSections, writePage } from "./report/page.ts";
import { measureSection, type Section } from "./rounds.ts";
import { FEWEST, type Row } from "./row.ts";
import { SECTIONS } from "./sections.ts";

/** The measured rounds of a page, and of a comparison with another commit. */
const ROUNDS = 5;
const ROUNDS_AGAINST = 9;

const HELP = `deno task bench [options]            the service beside bare runtimes and other frameworks
deno task bench --against REF        this tree, as its files are, beside a commit, a branch or a tag
deno task bench latency              how long many users wait, beside another server

  --only CASE   this case only, or the cases whose names begin so: library, default-get, …; repeatable
  --rounds N    rounds, by default ${ROUNDS}, or ${ROUNDS_AGAINST} with --against; each starts all servers anew. Of latency: turns of a
                minute for each server, by default 10
  --rate N      of latency, requests a second, by default 4000
  --help        this text

A run of all cases with at least ${ROUNDS} rounds writes bench/results.md and its plot. Its cases:

  ${SECTIONS.map(({ cases }) => cases.map(({ name }) => name).join(" ")).join("\n  ")}

The cases of --against are get, list, filtered, create and random, each after one of these:

  server-       as its task starts it, on both cores: an SQLite file, and the access log in a file; create-lone from one connection
  in-process-   calls of handle() without a socket: pets in memory, 64 requests at a time
`;

const folder = Deno.makeTempDirSync({ prefix: "petstore-bench-" });
// Everything that a contender writes is removed with the folder.
Deno.env.set("TMPDIR", folder);
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => end(130));
try {
  await run();
  end(0);
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`);
  end(1);
}

function end(status: number): never {
  STOP.abort();
  Deno.removeSync(folder, { recursive: true });
  Deno.exit(status);
}

async function run(): Promise<void> {
  const { values, positionals: [what] } = parse();
  if (values.help) return console.log(HELP.trimEnd());
  if (what === "latency") {
    return await measureLatency(folder, { minutes: count(values.rounds, 10), rate: count(values.rate, 4000) });
  }
  if (what !== undefined) throw new Error(`There is no benchmark ${what}; see --help`);
  const { against, only } = values;
  const sections = against ? sectionsAgainst(against, folder) : SECTIONS;
  const names = namesOf(sections, only);
  const rounds = count(values.rounds, against ? ROUNDS_AGAINST : ROUNDS);
  const begin = Date.now();
  const [loadBefore = 0] = Deno.loadavg();
  const fsync = measureSync();
  const rows: Row[] = [];
  for (const section of sections) rows.push(...await measureSection(section, names, rounds, folder));
  const conditions = { minutes: (Date.now() - begin) / 60_000, loadBefore, fsync };
  if (against) {
    console.log(formatSections(sections, rows));
    console.log(`"~" is noise. A change needs ${FEWEST} rounds to be more. The load before was ${digits(loadBefore)}.`);
  } else console.log(formatPage(rows, conditions));
  if (!against && !only && rounds >= ROUNDS) await writePage(rows, conditions);
}

function parse() {
  const text = { type: "string" } as const;
  const options = {
    against: text,
    only: { ...text, multiple: true },
    rounds: text,
    rate: text,
    help: { type: "boolean" },
  } as const;
  return parseArgs({ args: Deno.args.filter((arg) => arg !== "--"), options, allowPositionals: true });
}

function count(given: string | undefined, fallback: number): number {
  const number = Number(given ?? fallback);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new Error(`A number must be whole and at least 1, not ${JSON.stringify(given)}`);
}

/** The names of the cases that begin with a text of `--only`, or of all. */
function namesOf(sections: readonly Section[], only: readonly string[] = [""]): string[] {
  const names = sections.flatMap(({ cases }) => cases.map(({ name }) => name));
  for (const given of only) {
    if (!names.some((name) => name.startsWith(given))) throw new Error(`There is no case ${given}`);
  }
  return names.filter((name) => only.some((given) => name.startsWith(given)));
}

/** The median time of an fsync, in milliseconds. */
function measureSync(): number {
  using file = Deno.openSync(join(folder, "sync"), { write: true, create: true });
  const times = Array.from({ length: 51 }, () => {
    file.writeSync(new Uint8Array(4096));
    const begin = performance.now();
    file.syncDataSync();
    return performance.now() - begin;
  });
  return times.sort((a, b) => a - b)[25]!;
}
