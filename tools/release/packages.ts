/**
 * The packages of this repository: the main package at the root, and the others in `packages`. Each
 * has a `deno.json`, from which JSR publishes it, and a `package.json`, from which npm packs it.
 * The tools of a release read both here.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the checkout that these tools belong to. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** The members of a `package.json` that the tools read. */
export interface Manifest {
  name: string;
  version: string;
  license: string;
  author?: string;
  repository?: { url: string; directory?: string };
  exports: Record<string, string | { types: string; default: string }>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** One package: its folder relative to the root ("." for the main package), and both of its manifests. */
export interface Package {
  folder: string;
  config: {
    name: string;
    version: string;
    license: string;
    exports: string | Record<string, string>;
    workspace?: string[];
  };
  manifest: Manifest;
}

/** Reads the packages of a checkout: the main package first, then the others in the order of the workspace. */
export function readPackages(root: string = ROOT): Package[] {
  const main = readPackage(root, ".");
  const others = (main.config.workspace ?? []).map((folder) => readPackage(root, folder.replace(/^\.\//, "")));
  return [main, ...others];
}

function readPackage(root: string, folder: string): Package {
  const read = (name: string) => JSON.parse(readFileSync(join(root, folder, name), "utf8"));
  return { folder, config: read("deno.json"), manifest: read("package.json") };
}

/** Whether a version comes before the one that it is to become, as 1.2.3-rc.0 does. */
export function isPreRelease(version: string): boolean {
  return version.includes("-");
}

/** The file name that `npm pack` gives to a package. */
export function tarballName({ manifest: { name, version } }: Package): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}
