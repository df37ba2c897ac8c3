/** The Dockerfile, without an image: `.github/workflows/release.yml` builds one, and starts it. */

import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPage, ROOT } from "../support/pages.ts";
import { freePort } from "../support/system/free_port.ts";
import { addPet, readKey, serverAt, STARTED } from "../support/server/server_process.ts";
import { taskFlags } from "../support/server/serve_task.ts";
import { Child } from "../support/system/child.ts";
import { test } from "../support/server/in_process.ts";

const DOCKERFILE = readPage("Dockerfile").replaceAll(/\\\n */g, "");
const PLACE = "/opt/petstore";

/** The last instruction of a name, without it. */
function instruction(pattern: string): string {
  const found = [...DOCKERFILE.matchAll(new RegExp(`^${pattern}$`, "gm"))].at(-1);
  assert.ok(found, pattern);
  return found[1]!;
}

test.withFolder("the command of the container has the permissions of the task, serves from the files that are copied, and its health check sees that", async (folder) => {
  const printed = await new Child("sh", ["-c", instruction("RUN (printf .*?) > /usr/local/bin/petstore && .*")]).run();
  const flags = taskFlags().join(" ").replace(ROOT, `${PLACE}/`);
  assert.ok(printed.stdout.includes(`exec deno run --cached-only ${flags} ${PLACE}/server.ts "$@"`), printed.stdout);

  const place = join(folder, "opt");
  const home = join(folder, "home");
  const bin = join(folder, "bin");
  for (const [, files = ""] of DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
    const filter = (path: string) => !/\/packages\/\w+\/(tests|npm)(\/|$)/.test(path);
    for (const path of files.split(" ")) cpSync(ROOT + path, join(place, path), { recursive: true, filter });
  }
  for (const each of [home, bin]) mkdirSync(each);
  writeFileSync(join(bin, "petstore"), printed.stdout.replaceAll(PLACE, place), { mode: 0o755 });
  const env = {
    ...Object.fromEntries(instruction("ENV (.*)").split(" ").map((pair) => pair.split("="))),
    PATH: `${bin}:${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
    HOME: folder,
    PORT: String(await freePort()),
    // Kubernetes sets it beside a service of this name.
    PETSTORE_PORT: "tcp://10.43.12.7:8000",
    DENO_DIR: Deno.env.get("DENO_DIR") ?? "",
  };
  const start = (line: string) => new Child("sh", ["-c", line], { cwd: home, clearEnv: true, env });
  const check = instruction("HEALTHCHECK .* CMD (.*)");
  assert.equal((await start(check).run()).status, 1);
  const words = ["ENTRYPOINT", "CMD"].flatMap((name) => JSON.parse(instruction(`${name} (.*)`)));
  await using server = start(`exec ${words.join(" ")}`);
  await server.printed(STARTED);
  assert.match(server.written.stdout, / listens on http:\/\/0\.0\.0\.0:/);
  await addPet(serverAt(Number(env.PORT)), readKey(home));
  assert.equal((await start(check).run()).status, 0);
  assert.equal(await server.stop(), 0);
  assert.equal(server.written.stderr, "");
});
