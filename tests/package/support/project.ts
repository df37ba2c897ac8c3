/** New projects that install the package from its tarball. */

import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
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
    writeFileSync(join(folder, "package.json"), '{ "name": "consumer", "private": true }\n');
    await install(folder);
    assert.deepEqual(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")), ["@petstore"]);
    cpSync(CONSUMERS, folder, { recursive: true });
    return await use(folder);
  });
}

export type Install = (folder: string) => ReturnType<typeof succeed>;

export function npm({ command }: Pick<Runtime, "command">): Install {
  const cli = fileOf("npm", versionOf("npm"), "bin/npm-cli.js");
  return (folder) => succeed(command, [cli, "install", "--offline", "--no-audit", "--no-fund", TARBALL], folder);
}

export function bun({ command }: Pick<Runtime, "command">): Install {
  return (folder) => succeed(command, ["add", TARBALL], folder);
}
