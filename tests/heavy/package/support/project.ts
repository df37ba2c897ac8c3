/**
 * New projects of strangers, who install the packages from a registry, and programs that do not see
 * the tester's own environment. `deno task release:rehearse` starts the registry and publishes to it.
 */

import assert from "node:assert/strict";
import { cpSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "../../../../packages/client/mod.ts";
import { type Package, readPackages, tarballName } from "../../../../tools/release/packages.ts";
import { Child } from "../../../support/system/child.ts";
import { withTempFolder } from "../../../support/temp.ts";
import { fileOf, type Runtime, versionOf } from "./runtimes.ts";

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

/** The registry of the rehearsal has no package but those that the rehearsal has published. */
const REGISTRY = { NPM_CONFIG_REGISTRY: PETSTORE_REGISTRY, NPM_CONFIG_UPDATE_NOTIFIER: "false", NO_COLOR: "1" };

/** Starts a program. The folder is also its home, unless `env` sets another. */
export function start(command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Child {
  const PATH = process.env["PATH"] ?? "";
  return new Child(command, args, { cwd, clearEnv: true, env: { PATH, HOME: cwd, ...REGISTRY, ...env } });
}

/** A client of a server that has a new key in its folder. */
export async function clientOf(server: Child, folder: string): Promise<Client> {
  const [, baseUrl = ""] = await server.printed(/listens on (http:\S+)$/m);
  await server.printed(/^ {2}try .*$/m);
  return createClient({ baseUrl, key: readFileSync(join(folder, "data", "api-key"), "utf8").trim() });
}

export async function run(...program: Parameters<typeof start>): Promise<Child["written"] & { status: number }> {
  await using child = start(...program);
  return { status: await child.ended, ...child.written };
}

export async function succeed(...program: Parameters<typeof start>): Promise<Child["written"]> {
  const { status, ...written } = await run(...program);
  assert.equal(status, 0, written.stdout + written.stderr);
  return written;
}
