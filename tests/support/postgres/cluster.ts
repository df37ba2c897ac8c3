/** A PostgreSQL in a temporary folder, whose user needs no password. */

import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { freePort } from "../system/free_port.ts";
import { findBinaries, placeBinaries, publish } from "./binaries.ts";

export interface Cluster {
  port: number;
  /** Its folder: `data` has the database, `log` what it has written. */
  folder: string;
  bin: string;
}

export function whyNoCluster(): string | false {
  if (process.platform !== "linux") return "PostgreSQL is tried on Linux only";
  if (findBinaries() === undefined) return "there is no PostgreSQL, neither as a package nor the system's";
  if (isRoot() && (nobody() === undefined || spawnSync("setpriv", ["--version"]).status !== 0)) {
    return "root needs setpriv and a user nobody, since PostgreSQL refuses to run as root";
  }
  return false;
}

/** Removed with all clusters when this process has ended, however it ends. All files of tests of the process share it. */
export function home(): string {
  const folder = join(tmpdir(), `petstore-postgres-${process.pid}`);
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch {
    return folder;
  }
  const remove =
    `for file in '${folder}'/*/data/postmaster.pid; do kill -9 "$(head -n 1 "$file")"; done; rm -rf '${folder}'`;
  const watch = `while kill -0 ${process.pid}; do sleep 0.2; done; ${remove}; sleep 1; rm -rf '${folder}'`;
  // It has a session of its own, because a signal to the tests may reach all of their processes.
  spawnSync("setsid", ["--fork", "sh", "-c", watch], { stdio: "ignore" });
  return folder;
}

/** @param programs The folder with PostgreSQL's programs. */
export async function startCluster(
  settings: readonly string[] = [],
  programs: string | undefined = findBinaries(),
): Promise<Cluster> {
  const folder = mkdtempSync(join(home(), "cluster-"));
  own(folder);
  const cluster = { folder, port: await freePort(), bin: placeBinaries(programs ?? "", home()) };
  const data = join(cluster.folder, "data");
  // The owner copies it, because a copy by root would be root's.
  runAs({ ...cluster, bin: "/bin" }, "cp", ["-r", template(cluster), data]);
  startAgain(cluster, settings);
  return cluster;
}

/** What initdb makes. A copy of it takes a tenth of the time. */
function template(cluster: Cluster): string {
  const name = join(home(), `template_${cluster.bin.replaceAll("/", "_")}`);
  if (existsSync(name)) return name;
  const made = mkdtempSync(`${name}-`);
  own(made);
  runAs(cluster, "initdb", ["-D", made, "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"]);
  publish(made, name);
  return name;
}

export function startAgain(cluster: Cluster, settings: readonly string[] = []): void {
  const { folder, port } = cluster;
  // Shared memory in the folder goes with it; elsewhere, a killed cluster would leave it behind.
  const places = ["unix_socket_directories=''", "dynamic_shared_memory_type=mmap"];
  const all = [`port=${port}`, "listen_addresses=127.0.0.1", ...places, ...settings];
  const options = all.map((setting) => `-c ${setting}`).join(" ");
  const log = join(folder, "log");
  try {
    runAs(cluster, "pg_ctl", ["-D", join(folder, "data"), "-l", log, "-w", "-o", options, "start"]);
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${existsSync(log) ? readFileSync(log, "utf8").slice(-1000) : error}`);
  }
}

/** Kills a cluster like a loss of power. */
export function kill(cluster: Cluster): void {
  const pid = pidOf(cluster);
  if (pid === undefined) return;
  // Stopped first: a child that starts between the listing and the kill would survive.
  spawnSync("kill", ["-STOP", String(pid)]);
  const children = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).stdout.split("\n").filter(Boolean);
  const all = [pid, ...children.map(Number)];
  spawnSync("kill", ["-9", ...all.map(String)]);
  while (all.some(isRunning));
  // Without an init process that reaps, the next start would take this one for alive.
  rmSync(join(cluster.folder, "data", "postmaster.pid"), { force: true });
}

/** Whether a process runs; a zombie does not. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

export function removeCluster(cluster: Cluster): void {
  kill(cluster);
  rmSync(cluster.folder, { recursive: true, force: true });
}

export function pidOf({ folder }: Cluster): number | undefined {
  try {
    // On a full disk, the file may be empty.
    return Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n", 1)[0]) || undefined;
  } catch {
    // There is none, or it has just been removed.
    return undefined;
  }
}

/** Gives a file or a folder to the user of a cluster. */
export function own(path: string): void {
  const user = nobody();
  if (isRoot() && user) chownSync(path, user.uid, user.gid);
}

/** Runs one of PostgreSQL's programs as a user that it does not refuse. */
export function runAs({ bin }: Cluster, program: string, args: string[]): string {
  const line = [join(bin, program), ...args];
  const user = nobody();
  if (isRoot() && user) line.unshift("setpriv", `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups");
  // No pipe: the server would inherit it, and reading would never end.
  const options = { cwd: "/", stdio: program === "pg_ctl" ? "ignore" : "pipe", encoding: "utf8" } as const;
  const { status, stderr, stdout, error } = spawnSync(line[0] ?? "", line.slice(1), options);
  if (status !== 0) throw new Error(`${program} ended with status ${status}: ${error ?? stderr}`);
  return stdout;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function nobody(): { uid: number; gid: number } | undefined {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
