/**
 * `deno task release:check [TAG]`: whether this checkout can be released. It makes both packages, lints them, installs them in fresh
 * projects of each runtime and of a bundler, and does all but the upload to JSR. With a tag, what is still to do is an error.
 */

import { createHash } from "node:crypto";
import config from "../../deno.json" with { type: "json" };
import { missingFrom, PROJECT, type Project } from "../package/project.ts";

const ROOT = new URL("../../", import.meta.url);

/** What a release still needs, in words. */
export function findTasks(version: string, changelog: string, project: Project, tag: string | undefined): string[] {
  const tasks: string[] = [];
  const missing = missingFrom(project);
  if (missing.length > 0) tasks.push(`fill in ${missing.join(", ")} in tools/package/project.json`);
  const [, release, date] = /^## \[(.*)\] - (\S+)$/m.exec(changelog) ?? [];
  if (release !== version) tasks.push(`begin CHANGELOG.md with ${version}, the version of deno.json, not ${release}`);
  else if (date === "unreleased") tasks.push(`run deno task release:prepare ${version}, which dates CHANGELOG.md`);
  if (tag !== undefined && tag !== `v${version}`) tasks.push(`name the tag v${version}, not ${tag}`);
  return tasks;
}

async function runTask(...args: string[]): Promise<boolean> {
  const child = new Deno.Command(Deno.execPath(), { args: ["task", ...args], cwd: ROOT, stdin: "null" }).spawn();
  return (await child.status).success;
}

if (import.meta.main) {
  const [tag] = Deno.args.filter((arg) => arg !== "--");
  const tasks = findTasks(config.version, Deno.readTextFileSync(new URL("CHANGELOG.md", ROOT)), PROJECT, tag);
  for (const task of tasks) console.error(`Before the release: ${task}`);
  if (tag !== undefined && tasks.length > 0) Deno.exit(1);
  if (!await runTask("doc:lint") || !await runTask("integration", "package")) Deno.exit(1);
  const name = `dist/${config.name.replace("@", "").replace("/", "-")}-${config.version}.tgz`;
  const sum = createHash("sha256").update(Deno.readFileSync(new URL(name, ROOT))).digest("hex");
  console.log(`npm: ${name}, SHA-256 ${sum}\nJSR: dist/jsr`);
}
