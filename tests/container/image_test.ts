/** The image of the Dockerfile, built and run. tests/project/container_test.ts has what needs no builder. */

import assert from "node:assert/strict";
import { readPage, ROOT } from "../support/pages.ts";
import { addPet, serverAt, walk } from "../support/server/server_process.ts";
import { command, hasCommand, testUnless } from "../support/system/commands.ts";
import { until } from "../support/until.ts";

/** Of these, the first whose service runs. */
const BUILDER = ["docker", "podman"].find((name) => hasCommand(name) && succeeds(name, "info"));

function succeeds(...line: [string, ...string[]]): boolean {
  try {
    command(...line);
    return true;
  } catch {
    return false;
  }
}

function whyNoImage(): string | false {
  if (BUILDER === undefined) return "neither Docker nor Podman runs here";
  const bases = Array.from(readPage("Dockerfile").matchAll(/^FROM (\S+)/gm), ([, image]) => image!);
  const missing = [...new Set(bases)].find((image) => !succeeds(BUILDER, "pull", image));
  return missing === undefined ? false : `${BUILDER} cannot fetch ${missing}`;
}

const NAME = `petstore-test-${Deno.pid}`;

/** Runs the builder's program, and returns what it prints. */
function run(...args: string[]): string {
  return command(BUILDER!, ...args);
}

/** Starts a container on the volume of the test, as narrowly as possible, and ends it after `use`. */
async function withContainer(use: (container: string, port: number) => Promise<void>): Promise<void> {
  const limits = ["--read-only", "--cap-drop=all", "--security-opt=no-new-privileges"];
  const container = run(
    "run",
    "--detach",
    ...limits,
    "--publish=127.0.0.1::8000",
    `--volume=${NAME}:/var/lib/petstore/data`,
    NAME,
  );
  try {
    await until(
      "a healthy container",
      () =>
        BUILDER === "docker"
          ? run("inspect", "--format={{.State.Health.Status}}", container) === "healthy"
          : succeeds("podman", "healthcheck", "run", container),
    );
    await use(container, Number(run("port", container, "8000").split(":").at(-1)));
    run("stop", container);
    assert.equal(run("inspect", "--format={{.State.ExitCode}}", container), "0", run("logs", container));
  } finally {
    run("rm", "--force", container);
  }
}

testUnless(whyNoImage())(
  "a container becomes healthy, runs as a user without rights, keeps its pets in the volume, and ends with status 0",
  async () => {
    // Otherwise Podman would leave the health check out.
    run("build", ...(BUILDER === "podman" ? ["--format=docker"] : []), "--tag", NAME, ROOT);
    try {
      await withContainer(async (container, port) => {
        const key = run("exec", container, "cat", "data/api-key");
        await addPet(serverAt(port), key);
        assert.equal(run("exec", container, "id", "-u"), "10001");
        assert.match(run("exec", container, "petstore", "check"), /^sqlite:data\/petstore.db is sound: 1 pet,/);
      });
      await withContainer(async (container, port) => {
        assert.equal((await walk(run("exec", container, "cat", "data/api-key"), serverAt(port))).length, 1);
      });
    } finally {
      run("volume", "rm", "--force", NAME);
      run("rmi", "--force", NAME);
    }
  },
);
