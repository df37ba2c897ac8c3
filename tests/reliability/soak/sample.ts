/** Memory and open files of a process, and the size of its write-ahead log. Linux only. */

import { statSync } from "node:fs";
import { openFilesOf, readMemory } from "../../support/system/process.ts";

/** One look at the server. */
export interface Sample {
  /** Seconds since the load began. */
  second: number;
  /** Resident memory, and its anonymous part, in MB. */
  rss: number;
  anonymous: number;
  files: number;
  /** Size of the write-ahead log, in MB. */
  log: number;
}

const MB = 1_000_000;

/** Looks at a process. */
export function takeSample(pid: number, logFile: string, second: number): Sample {
  return {
    second,
    rss: readMemory(pid, "VmRSS") / MB,
    anonymous: readMemory(pid, "RssAnon") / MB,
    files: openFilesOf(pid),
    log: (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) / MB,
  };
}
