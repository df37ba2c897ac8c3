/**
 * `deno task release:rehearse` releases a copy of this checkout to a registry on this machine, and then uses what it released as
 * strangers do. It runs each step of docs/releasing.md that a person runs before the push of the tag, publishes with `npm publish`
 * to Verdaccio, which has no other registry behind it, and runs the tests of `tests/heavy/package` with an empty HOME. Nothing
 * leaves this machine, and the checkout stays as it is.
 */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { readPackages, ROOT, tarballName } from "./packages.ts";
import { isPreRelease } from "./prepare.ts";
import { startRegistry } from "./registry.ts";

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
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const { stdout } = await new Deno.Command("git", { args, cwd: ROOT }).output();
  const deleted = await new Deno.Command("git", { args: ["ls-files", "-z", "--deleted"], cwd: ROOT }).output();
  const list = (bytes: Uint8Array) => new TextDecoder().decode(bytes).split("\0").filter((path) => path !== "");
  const gone = new Set(list(deleted.stdout));
  for (const path of list(stdout)) {
    if (gone.has(path)) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path), { verbatimSymlinks: true });
  }
}

/** The steps of docs/releasing.md, up to the tag. The dry run of publishing to JSR is a test, which reads what it prints. */
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

/** The folders of the packages of others that ours depend on, directly or not. The registry has no other way to get them. */
function foldersOfDependencies(copy: string): string[] {
  const folders = new Map<string, string>();
  const visit = (names: Iterable<string>) => {
    for (const name of names) {
      if (name.startsWith("@petstore/") || folders.has(name)) continue;
      // Deno puts what the packages name themselves beside the rest.
      const [folder = name] = ["node_modules", "node_modules/.deno/node_modules"].map((place) =>
        join(ROOT, place, name)
      )
        .filter((path) => existsSync(path));
      folders.set(name, folder);
      visit(Object.keys(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies ?? {}));
    }
  };
  for (const { manifest } of readPackages(copy)) visit(Object.keys(manifest.dependencies ?? {}));
  return [...folders.values()];
}

const version = process.argv[2] ?? readPackages()[0]!.config.version;
const folder = mkdtempSync(join(tmpdir(), "petstore-release-"));
try {
  const copy = join(folder, "checkout"), home = join(folder, "home");
  mkdirSync(copy);
  mkdirSync(home);
  await copyCheckout(copy);
  await release(copy, version);
  await using registry = await startRegistry(join(folder, "registry"), join(ROOT, TESTS, "node_modules"));
  for (const dependency of foldersOfDependencies(copy)) {
    const args = ["publish", realpathSync(dependency), "--ignore-scripts", "--registry", registry.origin];
    await run(folder, "npm", args, registry.env(home));
  }
  for (const each of readPackages(copy)) {
    const tarball = join(copy, "tarballs", tarballName(each));
    const tag = isPreRelease(version) ? "next" : "latest";
    await run(folder, "npm", ["publish", tarball, "--access", "public", "--tag", tag], registry.env(home));
  }
  const env = { ...registry.env(home), PETSTORE_RELEASED: copy };
  await run(join(ROOT, TESTS), Deno.execPath(), ["test", "-A", "--no-check", "--parallel"], env);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
