/**
 * `deno task release:rehearse` releases a copy of this checkout to a registry on this machine, and
 * then uses what it released as strangers do. It runs each step of docs/releasing.md that a person
 * runs before the push of the tag, publishes with `npm publish` to Verdaccio, which has no other
 * registry behind it, and runs the tests of `tests/heavy/package` with an empty HOME. Nothing
 * leaves this machine, and the checkout stays as it is.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { NODE } from "../../tests/support/server/serve_task.ts";
import { freePort } from "../../tests/support/system/free_port.ts";
import { until } from "../../tests/support/until.ts";
import { isPreRelease, readPackages, ROOT, tarballName } from "./packages.ts";

const TESTS = "tests/heavy/package";

/** What a maintainer fills in once. The rehearsal fills it in if it is still empty. */
const AUTHOR = "Rehearsal <rehearsal@petstore.example>";
const REPOSITORY = "git+https://code.example/petstore.git";

async function run(cwd: string, command: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  console.log(`$ ${[command === Deno.execPath() ? "deno" : command, ...args].join(" ")}`);
  const { success, code } = await new Deno.Command(command, { args, cwd, env, stdin: "null" }).spawn().status;
  if (!success) throw new Error(`${command} ${args.join(" ")} ended with status ${code}`);
}

/** Copies the files that Git knows or would add: those of a commit that a person would make now. */
async function copyCheckout(copy: string): Promise<void> {
  const files = "git ls-files -z --cached --others --exclude-standard --deduplicate";
  // A file that was deleted is left out.
  await run(ROOT, "sh", ["-c", `${files} | tar -c --null -T - --ignore-failed-read | tar -x -C "$0"`, copy]);
}

/**
 * The steps of docs/releasing.md, up to the tag. The dry run of publishing to JSR is a test, which
 * reads what it prints.
 */
async function release(copy: string, version: string): Promise<void> {
  const deno = Deno.execPath();
  const git = (...args: string[]) =>
    run(copy, "git", ["-c", "user.name=R", "-c", "user.email=r@petstore.example", ...args]);
  await git("init", "--quiet");
  for (const { folder } of readPackages(copy)) {
    const path = join(copy, folder, "package.json");
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    manifest.author ||= AUTHOR;
    manifest.repository.url ||= REPOSITORY;
    writeFileSync(path, JSON.stringify(manifest, null, 2) + "\n");
  }
  await run(copy, deno, ["task", "install"]);
  await run(copy, deno, ["task", "release:prepare", version]);
  await run(copy, deno, ["task", "fmt"]);
  await run(copy, deno, ["task", "release:check", `v${version}`]);
  // Of `deno task ok`, these tests alone depend on the version and on the pages.
  await run(copy, deno, ["test", "-A", "--no-check", "--quiet", "tests/project"]);
  await git("add", "--all");
  await git("commit", "--quiet", "--message", version);
  await git("tag", `v${version}`);
  await run(copy, deno, ["task", "pack"]);
}

/**
 * The folders of the packages of others that ours depend on, directly or not. The registry has no
 * other way to get them.
 */
function foldersOfDependencies(copy: string): Set<string> {
  const folders = new Set<string>();
  const names = readPackages(copy).flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}));
  // The list grows while it is read.
  for (const name of names) {
    if (name.startsWith("@petstore/")) continue;
    // Deno puts what the packages name themselves beside the rest.
    const places = ["node_modules", "node_modules/.deno/node_modules"].map((place) => join(ROOT, place, name));
    const folder = realpathSync(places.find((path) => existsSync(path)) ?? name);
    if (folders.has(folder)) continue;
    folders.add(folder);
    names.push(...Object.keys(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies ?? {}));
  }
  return folders;
}

/** A registry that runs: Verdaccio, without another registry behind it. Disposing of it ends the process. */
interface Registry extends AsyncDisposable {
  /** Variables with which npm, npx, Bun and Deno use it alone. */
  env: Record<string, string>;
}

/**
 * Starts an empty registry, to which everybody on this machine may publish.
 *
 * @param folder Where it keeps its files; made by this function.
 * @param modules The `node_modules` in which Verdaccio is installed.
 * @param home An empty folder, which its users have in place of their own.
 */
async function startRegistry(folder: string, modules: string, home: string): Promise<Registry> {
  mkdirSync(folder);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const config = {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: {},
    packages: { "**": { access: "$all", publish: "$all" } },
    middlewares: { audit: { enabled: false } },
    web: { enable: false },
    max_body_size: "50mb",
    log: { type: "stdout", format: "json", level: "warn" },
  };
  const path = join(folder, "config.json");
  writeFileSync(path, JSON.stringify(config));
  const verdaccio = join(modules, "verdaccio/bin/verdaccio");
  const args = [verdaccio, "--config", path, "--listen", `127.0.0.1:${port}`];
  const child = new Deno.Command(NODE, { args, cwd: folder, stdin: "null", stdout: "null", stderr: "inherit" }).spawn();
  await until("an answer of the registry", () => fetch(`${origin}/-/ping`).then(({ ok }) => ok, () => false));
  const npmrc = join(home, ".npmrc");
  // npm wants a token before it publishes; this registry accepts any.
  writeFileSync(npmrc, `registry=${origin}/\n//127.0.0.1:${port}/:_authToken=anyone\n`);
  // In small letters, as npx sets them for what it runs: those win over others.
  const own = { npm_config_userconfig: npmrc, npm_config_registry: `${origin}/` };
  return {
    env: { HOME: home, ...own, NPM_CONFIG_REGISTRY: `${origin}/`, PETSTORE_REGISTRY: origin },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.status;
    },
  };
}

const version = process.argv[2] ?? readPackages()[0]!.config.version;
const folder = mkdtempSync(join(tmpdir(), "petstore-release-"));
try {
  const copy = join(folder, "checkout");
  const home = join(folder, "home");
  mkdirSync(copy);
  mkdirSync(home);
  await copyCheckout(copy);
  await release(copy, version);
  await using registry = await startRegistry(join(folder, "registry"), join(ROOT, TESTS, "node_modules"), home);
  const tarballs = readPackages(copy).map((each) => join(copy, "tarballs", tarballName(each)));
  const tag = isPreRelease(version) ? "next" : "latest";
  for (const what of [...foldersOfDependencies(copy), ...tarballs]) {
    const args = ["publish", what, "--ignore-scripts", "--access", "public", "--tag", tag];
    await run(folder, "npm", args, registry.env);
  }
  const env = { ...registry.env, PETSTORE_RELEASED: copy };
  await run(join(ROOT, TESTS), Deno.execPath(), ["test", "-A", "--no-check", "--parallel"], env);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
