/** The workflows: no script of a stranger, no stale cache and no action that has changed gets near what publishes. */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import config from "../../deno.json" with { type: "json" };
import lock from "../../.github/tools/package-lock.json" with { type: "json" };
import { readPage, ROOT } from "../support/pages.ts";

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  name: string;
  permissions: Record<string, string>;
  if?: string;
  environment?: string;
  needs?: string | string[];
  steps: Step[];
}

const TEXTS = readdirSync(ROOT + ".github/workflows").map((name) => readPage(`.github/workflows/${name}`));
type Workflow = { on: Record<string, unknown>; permissions: unknown; jobs: Record<string, Job> };
const WORKFLOWS: Workflow[] = TEXTS.map((text) => parse(text));
const PINNED = /^([\w-]+\/[\w-]+)(?:\/[\w-]+)*@([0-9a-f]{40} # v\d+\.\d+\.\d+)$/;
const JOBS = WORKFLOWS.flatMap(({ jobs }) => Object.values(jobs));
const STEPS = JOBS.flatMap(({ steps }) => steps);

test("every action is of this repository, or one commit of it is named, with its release", () => {
  const commits = new Map<string, string>();
  for (const [, used = ""] of TEXTS.join("").matchAll(/\buses: (.*)$/gm)) {
    if (used.startsWith("./")) {
      assert.ok(existsSync(`${ROOT}${used}/action.yml`), used);
      continue;
    }
    const [, owner = "", commit = ""] = PINNED.exec(used) ?? [];
    assert.ok(commit, used);
    assert.equal(commits.get(owner) ?? commit, commit, used);
    commits.set(owner, commit);
  }
  assert.equal(commits.size, 6);
});

test("workflows begin without rights, start for no event of a stranger that brings them, and keep no cache and no password", () => {
  assert.equal(WORKFLOWS.length, 3);
  const events = WORKFLOWS.flatMap(({ on }) => Object.keys(on));
  assert.deepEqual(
    events.filter((event) => !["push", "pull_request", "schedule", "workflow_dispatch"].includes(event)),
    [],
  );
  for (const { permissions } of WORKFLOWS) assert.deepEqual(permissions, {});
  for (const { name, permissions } of JOBS) assert.ok(permissions, name);
  for (const { uses = "", run = "", with: given } of STEPS) {
    assert.doesNotMatch(uses, /cache/);
    if (uses.startsWith("actions/checkout@")) assert.equal(given?.["persist-credentials"], false);
    if (uses.startsWith("actions/setup-")) assert.equal(given?.["package-manager-cache"], false);
    if (uses.includes("/codeql-action/init@")) assert.equal(given?.["trap-caching"], false);
    assert.ok(!run.includes("${{"), "A value in a script is code: give it by the environment");
  }
  assert.doesNotMatch(TEXTS.join(""), /^ +cache: |\bsecrets\./m);
});

test("a job with more rights than to read runs no code of this repository; to publish, it waits for the job that tests", () => {
  const scripts = JOBS.filter((job) => Object.values(job.permissions).includes("write")).flatMap((job) => {
    const runs = job.steps.flatMap(({ run }) => run?.trim().split("\n") ?? []);
    if (runs.length > 0) assert.ok(job.environment !== undefined && [job.needs].flat().includes("build"), job.name);
    return runs.map((line) => line.replace(/ .*/, ""));
  });
  assert.deepEqual(scripts, ["for", "for", "docker", "docker", "echo", "docker", "docker", "test", "gh"]);
  assert.deepEqual(STEPS.filter(({ run }) => /^for .*publish/.test(run ?? "")).map(({ run }) => run), [
    'for folder in . packages/*; do (cd "$folder" && deno publish); done',
    'for tarball in ./tarballs/*.tgz; do npm stage publish "$tarball" --access public --tag "$NPM_TAG"; done',
  ]);
});

test("what publishes does so for a tag alone, and what a person starts by hand publishes nothing", () => {
  const release = WORKFLOWS.find(({ jobs }) => "npm" in jobs)!;
  assert.deepEqual(Object.keys(release.on), ["push", "workflow_dispatch"]);
  for (const [name, job] of Object.entries(release.jobs)) {
    const publishes = Object.values(job.permissions).includes("write");
    assert.equal(/^github\.event_name == 'push'/.test(job.if ?? ""), publishes, name);
  }
});

test("workflows call tasks and scripts that anyone can run, with tools whose hashes are known", () => {
  const runs = STEPS.map(({ run = "" }) => run).join("\n");
  const tasks = Array.from(runs.matchAll(/\bdeno task (\S+)/g), ([, task = ""]) => task);
  assert.deepEqual(tasks, ["ok", "smoke", "ok", "release:rehearse", "release:check", "pack", "release:notes"]);
  for (const task of tasks) assert.ok(task in config.tasks, task);
  assert.ok(runs.includes(" .ci/run"));
  assert.doesNotMatch(runs, /\b(npx|curl|wget)\b/);
  const [root, ...packages] = Object.values<object>(lock.packages);
  const { deno } = (root as { dependencies: Record<string, string> }).dependencies;
  assert.ok(readPage("Dockerfile").includes(`:bin-${deno} `), deno);
  for (const each of packages) assert.ok("integrity" in each || "inBundle" in each, JSON.stringify(each));
  assert.doesNotMatch(readPage(".github/tools/package-lock.json"), /"resolved"/);
});
