/** The image of the Dockerfile, made without a builder: all its lines but FROM. tests/project/container_test.ts needs no root. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { addPet, serverAt, STARTED, walk } from "../../support/server/server_process.ts";
import { Child } from "../../support/system/child.ts";
import { command, testUnless } from "../../support/system/commands.ts";
import { freePort } from "../../support/system/free_port.ts";
import { withTempFolder } from "../../support/temp.ts";
import { build, containerLine, DEBIAN, type Image } from "./dockerfile.ts";

const DEBOOTSTRAP = "/usr/sbin/debootstrap";

function whyNoImage(): string | false {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return "only root of Linux can make the root of an image";
  if (!existsSync(DEBOOTSTRAP)) return "there is no debootstrap";
  try {
    command("unshare", "--mount", "--pid", "--net", "--fork", "true");
    return false;
  } catch {
    return "no namespaces can be made here";
  }
}

const start = ([program = "", ...args]: string[]) => new Child(program, args);

/** The process of a container, as the machine numbers it. */
function processOf(container: Child): number {
  return Number(readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, "utf8"));
}

/** Ends the container with a test that fails. Its user differs from that of the child, so the kernel does not kill it with the child. */
function endWith(container: Child): Disposable {
  return {
    [Symbol.dispose]() {
      try {
        Deno.kill(processOf(container), "SIGKILL");
      } catch {
        // It has ended.
      }
    },
  };
}

async function stop(container: Child): Promise<number> {
  Deno.kill(processOf(container), "SIGTERM");
  return await container.exit();
}

/**
 * Makes a folder with Debian's smallest system. A mirror may fail for a moment, which says nothing about the image, so this is tried
 * three times. debootstrap mounts /proc, and no failure must leave that mount in a folder that is deleted, so it gets mounts of its own.
 */
function installDebian(folder: string, attempts = 3): void {
  try {
    // It prints its faults on standard output.
    command("unshare", "--mount", "sh", "-c", `${DEBOOTSTRAP} --variant=minbase ${DEBIAN} "$0" >&2`, folder);
  } catch (error) {
    if (attempts === 1) throw error;
    console.warn(`debootstrap failed, and is tried again: ${(error as Error).message.slice(-300)}`);
    rmSync(folder, { recursive: true, force: true });
    installDebian(folder, attempts - 1);
  }
}

testUnless(whyNoImage())(
  "a container is healthy, has no right, keeps its pets in the volume, ends with status 0, and needs no network to start",
  () =>
    withTempFolder(async (folder) => {
      installDebian(join(folder, "debian"));
      const image: Image = build(join(folder, "debian"), folder);
      const { ENTRYPOINT = "", CMD = "", HEALTHCHECK = "", VOLUME = "" } = image.last;
      const volume = join(folder, "volume");
      command("cp", "--archive", join(image.root, VOLUME), volume);
      assert.equal(statSync(volume).mode & 0o777, 0o700);
      const port = await freePort();
      const run = (words: string[], env = {}, flags: string[] = []) =>
        start(containerLine(image, volume, { PORT: String(port), ...env }, words, flags));
      const isHealthy = () => run(["sh", "-c", HEALTHCHECK.replace(/^.* CMD /, "")]).run();
      const line = [...JSON.parse(ENTRYPOINT), ...JSON.parse(CMD)];
      assert.equal((await isHealthy()).status, 1);
      {
        await using container = run(line);
        using _ = endWith(container);
        await container.printed(STARTED);
        const healthy = await isHealthy();
        assert.equal(healthy.status, 0, healthy.stderr);
        const status = readFileSync(`/proc/${processOf(container)}/status`, "utf8");
        assert.match(status, /^Uid:\t10001\t10001\t10001\t10001$/m);
        assert.match(status, /^CapBnd:\t0+$[^]*^NoNewPrivs:\t1$/m);
        await addPet(serverAt(port), (await run(["cat", "data/api-key"]).run()).stdout.trim());
        assert.match((await run(["petstore", "check"]).run()).stdout, /^sqlite:data\/petstore.db is sound: 1 pet\n$/);
        assert.equal((await run(["touch", "/opt/petstore/x"]).run()).status, 1);
        assert.deepEqual([await stop(container), container.written.stderr], [0, ""]);
      }
      {
        await using container = run(line);
        using _ = endWith(container);
        await container.printed(STARTED);
        const key = (await run(["cat", "data/api-key"]).run()).stdout.trim();
        assert.equal((await walk(key, serverAt(port))).length, 1);
        assert.equal(await stop(container), 0);
      }
      // The driver is in the image, since otherwise it would be missed first.
      const alone = await run(["petstore", "check"], { PETSTORE_STORE: "postgres://127.0.0.1/pets" }, ["--net"]).run();
      assert.doesNotMatch(alone.stderr, /driver/);
      assert.equal(alone.status, 1, alone.stderr);
    }),
);
