/** What else shows a key: the list of processes, and the end of a process that crashes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { HELP } from "../../../lib/server/help.ts";
import { createOpenApi } from "../../../mod.ts";
import { createResponseValidator } from "../../support/openapi_validator.ts";
import { exchange } from "../../support/raw_socket.ts";
import { findSecret } from "../../support/secret_search.ts";
import { addPet, type ServerParts, withServer } from "../../support/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
const ROOT = new URL("../../../", import.meta.url);
const IS_LINUX = Deno.build.os === "linux";

/** What everyone on the machine can read of the process that runs in a folder: its command line, the names of its threads. */
function publicFacts(folder: string): string {
  const own = Deno.realPathSync(folder);
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name) || workingFolder(name) !== own) continue;
    const threads = [...Deno.readDirSync(`/proc/${name}/task`)].map((task) => `/proc/${name}/task/${task.name}/comm`);
    return [`/proc/${name}/cmdline`, ...threads].map((path) => Deno.readTextFileSync(path)).join("\n");
  }
  throw new Error("The server is not in the list of processes");
}

function workingFolder(id: string): string | undefined {
  try {
    return Deno.readLinkSync(`/proc/${id}/cwd`);
  } catch {
    // Somebody else's, or gone.
    return undefined;
  }
}

const QUIET: [how: string, parts: ServerParts][] = [
  ["in the environment", { env: { PETSTORE_KEYS: KEY } }],
  ["by data/api-key", {}],
];

for (const [how, parts] of QUIET) {
  const name = `a key that is given ${how} is not in the list of processes`;
  const skip = IS_LINUX ? false : "there is no /proc here";
  test(skip ? `${name} (skipped: ${skip})` : name, { skip }, () =>
    withTempFolder((folder) => {
      Deno.mkdirSync(`${folder}/data`, { mode: 0o700 });
      Deno.writeTextFileSync(`${folder}/data/api-key`, KEY, { mode: 0o600 });
      return withServer(folder, { ...parts, args: ["--store=memory:"] }, async (server) => {
        await addPet(server, KEY);
        const facts = publicFacts(folder);
        assert.match(facts, /server\.ts/);
        assert.equal(findSecret(facts, KEY), undefined);
      });
    }));
}

test(
  IS_LINUX
    ? "a key that is given by --key is in the list of processes, as docs/server.md and --help say"
    : "a key that is given by --key is in the list of processes (skipped: there is no /proc here)",
  { skip: IS_LINUX ? false : "there is no /proc here" },
  () =>
    withTempFolder((folder) =>
      withServer(folder, { args: ["--key", KEY, "--store=memory:"] }, () => {
        assert.ok(publicFacts(folder).includes(KEY));
        for (const text of [HELP, Deno.readTextFileSync(new URL("docs/server.md", ROOT)).replaceAll("\n", " ")]) {
          assert.match(text, /Keys in flags show in the list of processes/);
        }
      })
    ),
);

for (const signal of ["SIGABRT", "SIGQUIT"] as const) {
  const skip = Deno.build.os === "windows" ? "Windows has no signals" : false;
  test(
    skip
      ? `a server that ${signal} ends prints no key (skipped: ${skip})`
      : `a server that ${signal} ends prints no key`,
    { skip },
    () =>
      withTempFolder((folder) =>
        withServer(folder, { args: ["--key", KEY, "--store=memory:"] }, async (server) => {
          await addPet(server, KEY);
          assert.notEqual(await server.stop(signal), 0);
          assert.equal(findSecret(server.written.stdout + server.written.stderr, KEY), undefined);
        })
      ),
  );
}

test("an app whose store throws, rejects and at last crashes the process prints why, and no key", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--allow-net",
      "--allow-env=APP_KEY",
      fileURLToPath(new URL("tests/support/failing_app.ts", ROOT)),
    ],
    env: { APP_KEY: KEY },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const ended = child.status;
  const stderr = new Response(child.stderr).text();
  let stdout = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const isFirst = stdout === "";
    stdout += text;
    // One after the other: the last request is the end of the process, and with it of this loop.
    if (isFirst) await failEveryWay(Number.parseInt(stdout));
  }
  const printed = stdout + await stderr;
  assert.equal((await ended).success, false);
  for (const cause of [/thrown/, /rejected/, /SyntaxError/, /Uncaught.*thrown later/]) assert.match(printed, cause);
  assert.match(stdout, /handle/);
  assert.equal(findSecret(printed, KEY), undefined, printed);
});

async function failEveryWay(port: number): Promise<void> {
  const petstore = { port, validate: createResponseValidator(createOpenApi(), "/v1") };
  const body = '{"name":"a","categoryId":1}';
  const head = `Host: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${body.length}\r\n\r\n`;
  for (const line of ["GET /v1/pets/1", "GET /v1/pets", "POST /v1/pets"]) {
    const answer = await exchange(petstore, `${line} HTTP/1.1\r\n${head}${body}`);
    // The process may end before its last answer is on its way.
    if (answer === undefined && line.startsWith("POST")) return;
    assert.equal(answer?.status, 500);
    assert.equal(findSecret(answer.text, KEY), undefined);
  }
}
