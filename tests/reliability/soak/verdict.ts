import type { Finding } from "../shared/finding.ts";
import type { Sample } from "./sample.ts";

export interface Run {
  samples: readonly Sample[];
  /** Open files before the first client came and after the last was gone. */
  filesBefore: number;
  filesAfter: number;
}

/** A summary of the samples. Sizes are in MB. */
export interface Trend {
  /** The median of the first tenth after the warm-up, and that of the last tenth. */
  rssWarm: number;
  rssEnd: number;
  /** MB a minute after the warm-up, by least squares: no single sample decides. */
  slope: number;
  /** The slope times the minutes since the warm-up. */
  growth: number;
  filesMost: number;
  logMost: number;
}

/** Seconds until the code is compiled and caches are full: a minute, half of a short run, a tenth of a long one. */
function warmUp(seconds: number): number {
  return Math.max(Math.min(60, seconds / 2), seconds / 10);
}

/**
 * The most that a write-ahead log may grow to, in MB. SQLite moves it into the database after 1000 pages of 4 KiB. With
 * the pages of one last transaction it stays well below twice that, so beyond it a checkpoint does not happen.
 */
export const LOG_BOUND = 8;

/**
 * The most that memory may grow by after the warm-up, in MB. A leak of the smallest object, 16 bytes, in every request
 * would be 80 MB in ten minutes. Without a leak, resident memory goes up and down by 35 MB with the garbage collector.
 */
export const GROWTH_BOUND = 40;

export function measureTrend(samples: readonly Sample[]): Trend {
  const from = warmUp(samples.at(-1)?.second ?? 0);
  const warm = samples.filter(({ second }) => second >= from);
  const tenth = Math.max(1, Math.floor(warm.length / 10));
  const slope = slopeOf(warm);
  const minutes = ((warm.at(-1)?.second ?? 0) - (warm[0]?.second ?? 0)) / 60;
  return {
    rssWarm: median(warm.slice(0, tenth).map(({ rss }) => rss)),
    rssEnd: median(warm.slice(-tenth).map(({ rss }) => rss)),
    slope,
    growth: slope * minutes,
    filesMost: Math.max(...samples.map(({ files }) => files)),
    logMost: Math.max(...samples.map(({ log }) => log)),
  };
}

export function judge({ samples, filesBefore, filesAfter }: Run): Finding[] {
  const { growth, logMost } = measureTrend(samples);
  const findings: Finding[] = [];
  if (growth > GROWTH_BOUND) {
    findings.push({
      kind: "memory",
      detail: `Memory grew by ${growth.toFixed(1)} MB; the bound is ${GROWTH_BOUND} MB`,
    });
  }
  // Equal, not about: with no client left there is nothing that a file could be open for that was closed before.
  if (filesAfter !== filesBefore) {
    findings.push({ kind: "files", detail: `${filesBefore} open files before the load, ${filesAfter} after it` });
  }
  if (logMost > LOG_BOUND) {
    findings.push({ kind: "log", detail: `The log grew to ${logMost.toFixed(1)} MB; the bound is ${LOG_BOUND} MB` });
  }
  return findings;
}

/** MB a minute. */
function slopeOf(samples: readonly Sample[]): number {
  const meanSecond = mean(samples.map(({ second }) => second));
  const meanRss = mean(samples.map(({ rss }) => rss));
  let products = 0, squares = 0;
  for (const { second, rss } of samples) {
    products += (second - meanSecond) * (rss - meanRss);
    squares += (second - meanSecond) ** 2;
  }
  return squares === 0 ? 0 : products / squares * 60;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
