/**
 * `deno task pack` makes the npm package of each package of this repository in `tarballs/`, and
 * prints its size and SHA-256. It runs `npm pack`, whose script `prepack` compiles the sources. The
 * main package comes first, because the others are compiled against it.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { readPackages, ROOT, tarballName } from "./packages.ts";

const tarballs = join(ROOT, "tarballs");
rmSync(tarballs, { recursive: true, force: true });
mkdirSync(tarballs);
for (const each of readPackages()) {
  const args = ["pack", "--silent", "--pack-destination", tarballs];
  // The compiler prints its errors to standard output, which is for the sums of the packages here.
  execFileSync("npm", args, { cwd: join(ROOT, each.folder), stdio: ["ignore", process.stderr.fd, "inherit"] });
  const bytes = readFileSync(join(tarballs, tarballName(each)));
  const sum = createHash("sha256").update(bytes).digest("hex");
  console.log(`${sum}  tarballs/${tarballName(each)} (${Math.round(bytes.length / 1000)} kB)`);
}
// In a checkout, what was compiled would be in the way of the sources: Bun prefers it to them.
for (const { folder } of readPackages()) rmSync(join(ROOT, folder, "npm"), { recursive: true, force: true });
