/** A server with its default settings, clients, and a look at the server every second. Linux only. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../command_line.ts";
import { ServerProcess } from "../../../tests/support/server/server_process.ts";
import { openFilesOf, readMemory } from "../../../tests/support/system/process.ts";
import { until } from "../../../tests/support/until.ts";
import type { Finding } from "../shared/finding.ts";
import { KEY } from "../../../tests/support/http/requests.ts";
import { defineTool, type Run } from "../tool.ts";
import { load, type LoadFigures } from "./load.ts";

const ABOUT =
  `A standalone server with its default settings, and clients that read, create and send rubbish as fast as they are answered.
Looks for unexpected responses, memory that goes on growing, open files that are not closed, and a write-ahead log beyond its
bound. Linux only. Fewer than five minutes say little of the memory.`;

type SoakOptions = { minutes: number; clients: number; workers: number };

export const SOAK = defineTool<SoakOptions>(ABOUT, {
  minutes: [10, "how long"],
  clients: [32, "how many at once"],
  workers: [1, "how many threads of the server serve"],
}, async (options, run) => {
  if (Deno.build.os !== "linux") throw new UsageError("the system must be Linux, for its /proc");
  const { samples, figures, findings } = await runSoak(options, run);
  const { growth, files, log } = measureTrend(samples);
  const { requests, creates, unexpected } = figures;
  return {
    figures: {
      ...{ requests, creates, unexpected, "a second": Math.round(requests / 60 / options.minutes) },
      "memory in MB": `${samples.at(-1)?.rss.toFixed(1)}, of which ${growth.toFixed(1)} since the warm-up`,
      "open files": `at most ${files}`,
      "log in MB": `at most ${log.toFixed(2)}`,
    },
    findings,
  };
});

export interface Sample {
  second: number;
  /** Resident memory, in MB. */
  rss: number;
  files: number;
  /** Size of the write-ahead log, in MB. */
  log: number;
}

export interface SoakReport {
  samples: Sample[];
  figures: LoadFigures;
  findings: Finding[];
}

/** Seconds between two lines of progress. */
const PROGRESS = 10;

const MB = 1_000_000;

export async function runSoak(options: SoakOptions, { folder, seed, log }: Run): Promise<SoakReport> {
  const { minutes, clients, workers } = options;
  // The default store and the default access log.
  const parts = { args: [`--workers=${workers}`], env: { PETSTORE_KEYS: KEY }, kept: 16_384 };
  await using server = await ServerProcess.start(folder, parts);
  const file = join(folder, "data", "petstore.db-wal");
  const bound = openFilesOf(server.pid) + FILES_BOUND;
  const samples: Sample[] = [];
  const figures: LoadFigures = { requests: 0, creates: 0, unexpected: 0, example: "" };
  const begin = performance.now();
  const look = () => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const sample = {
      second: (performance.now() - begin) / 1000,
      rss: readMemory(server.pid, "VmRSS") / MB,
      files: openFilesOf(server.pid),
      log: size / MB,
    };
    if (samples.push(sample) % PROGRESS === 0) log(JSON.stringify({ ...sample, ...figures }));
  };
  const timer = setInterval(look, 1000);
  await load({ port: server.port, clients, seconds: minutes * 60, seed }, figures).finally(() => clearInterval(timer));
  look();
  const findings = judge(samples);
  if (figures.unexpected > 0) findings.push({ kind: "response", detail: `Unexpected, such as ${figures.example}` });
  // Those of the clients that have left are closed a little later.
  await until("the server has closed its clients' connections", () => openFilesOf(server.pid) <= bound)
    .catch((error) => findings.push({ kind: "growth", detail: `${openFilesOf(server.pid)} open files. ${error}` }));
  const status = await server.stop();
  if (status !== 0 || server.written.stderr !== "") {
    findings.push({ kind: "exit", detail: `Status ${status}, standard error: ${server.written.stderr}` });
  }
  return { samples, figures, findings };
}

/**
 * The most that a write-ahead log may grow to, in MB. SQLite moves it into the database after 1000 pages of 4 KiB. With
 * the pages of one last transaction it stays well below twice that, so beyond it a checkpoint does not happen.
 */
const LOG_BOUND = 8;

/**
 * The most that memory may grow by after the warm-up, in MB. A leak of the smallest object, 16 bytes, in every request
 * would be 80 MB in ten minutes. Without a leak, resident memory goes up and down by 35 MB with the garbage collector.
 */
const GROWTH_BOUND = 40;

/** More files than a server opens at the first need, and less than the connections of a run, of which none may stay open. */
const FILES_BOUND = 64;

/** What the samples show: the growth of the median after the warm-up, and the maxima. */
export function measureTrend(samples: readonly Sample[]): { growth: number; files: number; log: number } {
  const seconds = samples.at(-1)?.second ?? 0;
  // Until the code is compiled and caches are full: a minute, half of a short run, a tenth of a long one.
  const warm = samples.filter(({ second }) => second >= Math.max(Math.min(60, seconds / 2), seconds / 10));
  const third = Math.ceil(warm.length / 3);
  const [first, last] = [warm.slice(0, third), warm.slice(-third)].map((part) => {
    return part.map(({ rss }) => rss).sort((a, b) => a - b)[part.length >> 1] ?? 0;
  });
  return {
    // The medians are two thirds of the time apart.
    growth: 1.5 * (last! - first!),
    files: Math.max(...samples.map(({ files }) => files)),
    log: Math.max(...samples.map(({ log }) => log)),
  };
}

export function judge(samples: readonly Sample[]): Finding[] {
  const { growth, log } = measureTrend(samples);
  const findings: Finding[] = [];
  if (growth > GROWTH_BOUND) {
    findings.push({
      kind: "growth",
      detail: `Memory grew by ${growth.toFixed(1)} MB; the bound is ${GROWTH_BOUND} MB`,
    });
  }
  if (log > LOG_BOUND) {
    findings.push({ kind: "growth", detail: `The log grew to ${log.toFixed(1)} MB; the bound is ${LOG_BOUND} MB` });
  }
  return findings;
}
