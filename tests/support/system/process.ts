/** What the system knows of a process that a test has started. Linux only. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The process whose working directory is this folder, of which there must be one. */
export function processIn(folder: string): number {
  const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && readFolder(name) === folder);
  if (found.length !== 1) throw new Error(`${found.length} processes in ${folder}`);
  return Number(found[0]);
}

/** Memory that the process has in use, in MiB, now and at most so far. */
export function memoryOf(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mib = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024);
  return { now: mib("VmRSS"), most: mib("VmHWM") };
}

/** How many files and connections the process has open. */
export function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Asks again and again until it is so. What never becomes so is ended by an error after ten seconds. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const guard = AbortSignal.timeout(10_000); !isSo();) {
    if (guard.aborted) throw new Error(`Gave up: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function readFolder(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // It has ended, or is another user's.
    return undefined;
  }
}
