/** The Dockerfile, without an image: `.github/workflows/release.yml` builds one, and starts it. */

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPage, ROOT } from "../support/pages.ts";
import { freePort } from "../support/system/free_port.ts";
import { addPet, readKey, serverAt, STARTED } from "../support/server/server_process.ts";
import { taskFlags } from "../support/server/serve_task.ts";
import { Child } from "../support/system/child.ts";
import { test } from "../support/server/in_process.ts";

const DOCKERFILE = joinLines(readPage("Dockerfile"));
const PLACE = "/opt/petstore";

/** The files that come from the checkout. */
const COPIED = Array.from(DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, files = ""]) => files.split(" "))
  .flat();

function joinLines(text: string): string {
  return text.replaceAll(/\\\n */g, "");
}

function instruction(name: string): string {
  const found = Array.from(DOCKERFILE.matchAll(new RegExp(`^${name} (.+)$`, "gm")), ([, rest]) => rest!);
  assert.ok(found.length > 0, name);
  return found.at(-1)!;
}

/** The script that the Dockerfile writes: what `printf` prints in its place. */
async function petstoreScript(): Promise<string> {
  const [, line = ""] = /^RUN (printf .*?) > \/usr\/local\/bin\/petstore && chmod 755 /m.exec(DOCKERFILE) ?? [];
  const { status, stdout } = await new Child("sh", ["-c", line]).run();
  assert.equal(status, 0);
  return stdout;
}

test("the command of the container has the permissions of the task", async () => {
  const script = await petstoreScript();
  const flags = taskFlags().join(" ").replace(ROOT, `${PLACE}/`);
  assert.ok(script.includes(`exec deno run --cached-only ${flags} ${PLACE}/server.ts "$@"`), script);
});

test.withFolder("the command of the container serves from the files that are copied, and its health check sees that", async (folder) => {
  const [place, home, bin] = ["opt", "home", "bin"].map((name) => join(folder, name)) as [string, string, string];
  const filter = (path: string) => !/\/packages\/\w+\/(tests|npm)(\/|$)/.test(path);
  for (const path of COPIED) cpSync(ROOT + path, join(place, path), { recursive: true, filter });
  Deno.mkdirSync(home);
  Deno.mkdirSync(bin);
  const script = (await petstoreScript()).replaceAll(PLACE, place);
  Deno.writeTextFileSync(join(bin, "petstore"), script, { mode: 0o755 });
  const env = {
    PATH: `${bin}:${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
    HOME: folder,
    PETSTORE_PORT: String(await freePort()),
    ...Object.fromEntries(variables()),
    DENO_DIR: Deno.env.get("DENO_DIR") ?? "",
  };
  const start = (line: string, more = {}) =>
    new Child("sh", ["-c", line], { cwd: home, clearEnv: true, env: { ...env, ...more } });
  const check = instruction("HEALTHCHECK").replace(/^.* CMD /, "");
  assert.equal((await start(check).run()).status, 1);
  const words = ["ENTRYPOINT", "CMD"].flatMap((name) => JSON.parse(instruction(name)));
  await using server = start(`exec ${words.join(" ")}`);
  await server.printed(STARTED);
  assert.match(server.written.stdout, / listens on http:\/\/0\.0\.0\.0:/);
  await addPet(serverAt(Number(env.PETSTORE_PORT)), readKey(home));
  assert.equal((await start(check).run()).status, 0);
  // These are the variables in Kubernetes, beside a service of this name.
  const linked = { PETSTORE_PORT: "tcp://10.43.12.7:8000", PORT: env.PETSTORE_PORT };
  assert.equal((await start(check, linked).run()).status, 0);
  // A file of variables with CRLF adds a character to each value, which the server removes too.
  assert.equal((await start(check, { PETSTORE_PORT: `${env.PETSTORE_PORT}\r`, PORT: "9" }).run()).status, 0);
  assert.equal(await server.stop(), 0);
  assert.equal(server.written.stderr, "");
});

/** Reads the variables of the container. The folder of Deno's cache is another one here. */
function variables(): [string, string][] {
  const all = instruction("ENV").split(" ").map((pair) => pair.split("=") as [string, string]);
  return all.filter(([name]) => name !== "DENO_DIR");
}
