import { formatTable, parseFlags, readCount, runTool, UsageError } from "../../support/command_line.ts";
import { newSeed } from "../../support/random.ts";
import { countKinds } from "../shared/finding.ts";
import { runSoak, type SoakOptions, type SoakReport } from "./run.ts";
import type { LoadFigures } from "./load.ts";
import type { Sample } from "./sample.ts";
import { GROWTH_BOUND, LOG_BOUND, measureTrend } from "./verdict.ts";

const HELP = `deno task reliability soak [options]

A standalone server with its default settings, and clients that read, create and send rubbish as fast as they are answered.
Exit status 1 on an unexpected response, on memory that goes on growing, on open files that are not closed, on a write-ahead
log beyond its bound. Linux only.

  --minutes N   how long, 10 unless given; fewer than five say little of the memory
  --clients N   how many at once, 32 unless given
  --workers N   how many threads of the server serve, 1 unless given
  --help        this text
`;

const PROGRESS = 10;

await runTool("soak", async (folder) => {
  if (Deno.build.os !== "linux") throw new UsageError("the system must be Linux, for its /proc");
  const options = readOptions(Deno.args);
  let seen = 0;
  const report = await runSoak(options, folder, (sample, figures) => {
    if (++seen % PROGRESS === 0) console.log(describe(sample, figures));
  });
  console.log(summarize(report, options));
  return report.findings;
});

function readOptions(args: readonly string[]): SoakOptions {
  const values = parseFlags(args, HELP, {
    minutes: { type: "string" },
    clients: { type: "string" },
    workers: { type: "string" },
  });
  const minutes = Number(values.minutes ?? 10);
  if (!(minutes > 0 && minutes < 10_000)) {
    throw new UsageError(`--minutes must be a number above 0, not ${values.minutes}`);
  }
  const clients = readCount("clients", values.clients, 32);
  return { minutes, clients, seed: newSeed(), workers: readCount("workers", values.workers, 1) };
}

function describe(
  { second, rss, anonymous, files, log }: Sample,
  { requests, creates, unexpected }: LoadFigures,
): string {
  return [
    `soak: ${Math.round(second)} s`,
    `RSS ${rss.toFixed(1)} MB (${anonymous.toFixed(1)} anonymous)`,
    `${files} files, WAL ${log.toFixed(2)} MB`,
    `${requests} requests, ${creates} creates, ${unexpected} unexpected`,
  ].join("; ");
}

function summarize({ samples, figures, filesBefore, filesAfter, findings }: SoakReport, options: SoakOptions): string {
  const { rssWarm, rssEnd, slope, growth, filesMost, logMost } = measureTrend(samples);
  const seconds = samples.at(-1)?.second ?? 0;
  const perRequest = growth * 1e6 / figures.requests;
  return formatTable({
    lasted: `${(seconds / 60).toFixed(1)} minutes, ${options.clients} clients, ${options.workers} workers`,
    requests: `${figures.requests}, ${Math.round(figures.requests / seconds)} a second`,
    creates: figures.creates,
    "unexpected responses": figures.unexpected,
    "RSS after warm-up": `${rssWarm.toFixed(1)} MB`,
    "RSS at the end": `${rssEnd.toFixed(1)} MB`,
    "slope after warm-up": `${slope.toFixed(2)} MB a minute, ${perRequest.toFixed(1)} bytes a request`,
    "growth by that slope": `${growth.toFixed(1)} MB; the bound is ${GROWTH_BOUND} MB`,
    "open files": `${filesBefore} before, at most ${filesMost}, ${filesAfter} after`,
    "largest WAL": `${logMost.toFixed(2)} MB; the bound is ${LOG_BOUND} MB`,
    ...countKinds(findings, ["memory", "files", "log", "response", "exit"]),
  });
}
