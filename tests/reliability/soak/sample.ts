import { statSync } from "node:fs";
import { openFilesOf, readMemory } from "../../support/system/process.ts";

export interface Sample {
  second: number;
  /** Resident memory, and its anonymous part, in MB. */
  rss: number;
  anonymous: number;
  files: number;
  /** Size of the write-ahead log, in MB. */
  log: number;
}

const MB = 1_000_000;

export function takeSample(pid: number, logFile: string, second: number): Sample {
  return {
    second,
    rss: readMemory(pid, "VmRSS") / MB,
    anonymous: readMemory(pid, "RssAnon") / MB,
    files: openFilesOf(pid),
    log: (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) / MB,
  };
}
