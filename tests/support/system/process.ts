import { readFileSync } from "node:fs";

/** Memory that the process has in use, in MiB, now and at most so far. */
export function memoryOf(pid: number): { now: number; most: number } {
  const mib = (name: string) => Math.round(readMemory(pid, name) / 1024 / 1024);
  return { now: mib("VmRSS"), most: mib("VmHWM") };
}

/** Reads one of the figures of /proc/PID/status, in bytes. */
function readMemory(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
}
