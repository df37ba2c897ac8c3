/** New projects of strangers, who install the packages from a registry. `deno task release:rehearse` starts it and publishes to it. */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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

/** Runs `use` in a new project with the packages, no other package, and the files of consumers/. */
export function withProject<T>(install: Install, use: (folder: string) => T | Promise<T>): Promise<T> {
  return withTempFolder(async (folder) => {
    await install(folder);
    cpSync(CONSUMERS, folder, { recursive: true });
    return await use(folder);
  });
}

export type Install = (folder: string) => Promise<void>;

const NAMES = PACKAGES.map(({ manifest }) => manifest.name);

/** The path of npm's program, or of npx. */
export function npmCli(program: "npm" | "npx" = "npm"): string {
  return fileOf("npm", versionOf("npm"), `bin/${program}-cli.js`);
}

export function npm({ command }: Pick<Runtime, "command">): Install {
  return once(command, [npmCli(), "install", "--no-audit", "--no-fund", ...NAMES]);
}

export function bun({ command }: Pick<Runtime, "command">): Install {
  return once(command, ["add", ...NAMES]);
}

/** What each command has installed. */
const installed = new Map<string, Promise<string>>();

/** Installs once in each file of tests, because that takes seconds. Each project has a copy. */
function once(command: string, args: string[]): Install {
  const install = async () => {
    const first = mkdtempSync(join(tmpdir(), "petstore-installed-"));
    globalThis.addEventListener("unload", () => rmSync(first, { recursive: true }));
    writeFileSync(join(first, "package.json"), '{ "name": "consumer", "private": true }\n');
    await succeed(command, args, first);
    for (const { manifest } of PACKAGES) {
      const path = join(first, "node_modules", manifest.name, "package.json");
      assert.equal(JSON.parse(readFileSync(path, "utf8")).version, manifest.version);
    }
    assert.ok(readdirSync(join(first, "node_modules")).includes("@petstore"));
    return first;
  };
  return async (folder) => {
    const first = installed.get(command) ?? install();
    installed.set(command, first);
    cpSync(await first, folder, { recursive: true, verbatimSymlinks: true });
  };
}
