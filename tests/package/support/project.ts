/** New projects that install the package from its tarball. */

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import root from "../../../deno.json" with { type: "json" };
import { withTempFolder } from "../../support/temp.ts";
import { succeed } from "./run.ts";
import { fileOf, type Runtime, versionOf } from "./runtimes.ts";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Made by `deno task pack`. */
export const TARBALL = join(ROOT, "dist", `petstore-petstore-${root.version}.tgz`);

const CONSUMERS = fileURLToPath(new URL("../consumers/", import.meta.url));

/** Runs `use` in a new project with the package, no other package, and the files of consumers/. */
export function withProject<T>(install: Install, use: (folder: string) => T | Promise<T>): Promise<T> {
  assert.ok(existsSync(TARBALL), "There is no package; run deno task pack first");
  return withTempFolder(async (folder) => {
    await install(folder);
    cpSync(CONSUMERS, folder, { recursive: true });
    return await use(folder);
  });
}

export type Install = (folder: string) => Promise<void>;

export function npm({ command }: Pick<Runtime, "command">): Install {
  const cli = fileOf("npm", versionOf("npm"), "bin/npm-cli.js");
  return once(command, [cli, "install", "--offline", "--no-audit", "--no-fund", TARBALL]);
}

export function bun({ command }: Pick<Runtime, "command">): Install {
  return once(command, ["add", TARBALL]);
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
    assert.deepEqual(readdirSync(join(first, "node_modules")).filter((name) => !name.startsWith(".")), ["@petstore"]);
    return first;
  };
  return async (folder) => {
    const first = installed.get(command) ?? install();
    installed.set(command, first);
    cpSync(await first, folder, { recursive: true, verbatimSymlinks: true });
  };
}
