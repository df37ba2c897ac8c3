/**
 * New projects of strangers, who install the packages from a registry. `deno task release:rehearse`
 * starts it and publishes to it.
 */

import assert from "node:assert/strict";
import { cpSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Package, readPackages, tarballName } from "../../../../tools/release/packages.ts";
import { withTempFolder } from "../../../support/temp.ts";
import { succeed } from "./run.ts";
import { fileOf, type Runtime, versionOf } from "./runtimes.ts";

export const ROOT: string = fileURLToPath(new URL("../../../../", import.meta.url));

const { PETSTORE_REGISTRY, PETSTORE_RELEASED } = process.env;
assert.ok(
  PETSTORE_REGISTRY && PETSTORE_RELEASED,
  "These tests need what deno task release:rehearse publishes; run that",
);

/** The copy of the checkout that was released. */
export const RELEASED: string = realpathSync(PETSTORE_RELEASED);

/** Its packages, with the version of the release. */
export const PACKAGES: readonly Package[] = readPackages(RELEASED);

/** The file that `npm pack` has made of a package. */
export function tarballOf(name: string): string {
  return join(RELEASED, "tarballs", tarballName(PACKAGES.find(({ manifest }) => manifest.name === name)!));
}

const CONSUMERS = fileURLToPath(new URL("../consumers/", import.meta.url));

/** A command that installs packages. */
export interface Install {
  command: string;
  args: readonly string[];
}

const NAMES = PACKAGES.map(({ manifest }) => manifest.name);

/** The path of npm's program, or of npx. */
export function npmCli(program: "npm" | "npx" = "npm"): string {
  return fileOf("npm", versionOf("npm"), `bin/${program}-cli.js`);
}

export function npm({ command }: Pick<Runtime, "command">): Install {
  return { command, args: [npmCli(), "install", "--no-audit", "--no-fund", ...NAMES] };
}

export function bun({ command }: Pick<Runtime, "command">): Install {
  return { command, args: ["add", ...NAMES] };
}

/** Runs `use` in a new project with the packages, no other package, and the files of consumers/. */
export function withProject<T>({ command, args }: Install, use: (folder: string) => Promise<T>): Promise<T> {
  return withTempFolder(async (folder) => {
    writeFileSync(join(folder, "package.json"), '{ "name": "consumer", "private": true }\n');
    await succeed(command, args, folder);
    for (const { manifest } of PACKAGES) {
      const path = join(folder, "node_modules", manifest.name, "package.json");
      assert.equal(JSON.parse(readFileSync(path, "utf8")).version, manifest.version);
    }
    cpSync(CONSUMERS, folder, { recursive: true });
    return await use(folder);
  });
}
