import { openApiOf } from "../../support/descriptions.ts";
import assert from "node:assert/strict";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { createResponseValidator } from "../../support/openapi_validator.ts";
import { exchange } from "../../support/http/raw_socket.ts";
import { findSecret } from "./secret_search.ts";
import { Child } from "../../support/system/child.ts";
import { NO_PROC, testUnless } from "../../support/system/commands.ts";
import { addPet, withFreshServer, withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";

const test = Object.assign(testUnless(false), { onLinux: testUnless(NO_PROC) });

const KEY = "pk_" + crypto.getRandomValues(new Uint8Array(32)).toHex();
const APP = new URL("failing_app.ts", import.meta.url);

/** The command line and the names of the threads, which every user can read. */
function publicFacts(pid: number): string {
  const threads = [...Deno.readDirSync(`/proc/${pid}/task`)].map((task) => `/proc/${pid}/task/${task.name}/comm`);
  return [`/proc/${pid}/cmdline`, ...threads].map((path) => Deno.readTextFileSync(path)).join("\n");
}

test.onLinux("a key that is given in the environment, or by a file, is not in the list of processes", () =>
  withTempFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/data`, { mode: 0o700 });
    Deno.writeTextFileSync(`${folder}/data/api-key`, KEY, { mode: 0o600 });
    for (const env of [{ PETSTORE_KEYS: KEY }, { PETSTORE_KEYS_FILE: "data/api-key" }, {}]) {
      await withServer(folder, { env, args: ["--store=sqlite:pets.db"] }, async (server) => {
        await addPet(server, KEY);
        const facts = publicFacts(server.pid);
        assert.match(facts, /(server|node\/main)\.ts/);
        assert.equal(findSecret(facts, KEY), undefined);
      });
    }
  }));

/** A shell starts a program in the background with SIGQUIT ignored, and the programs that it starts ignore it too. */
function quitSkip(): string | false {
  if (NO_PROC) return NO_PROC;
  const [, ignored = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(Deno.readTextFileSync("/proc/self/status")) ?? [];
  const isIgnored = (BigInt(`0x${ignored}`) >> BigInt(constants.signals.SIGQUIT - 1) & 1n) === 1n;
  return isIgnored && "SIGQUIT is ignored here, as in the background of a shell";
}

for (const [signal, skip] of [["SIGABRT", NO_PROC], ["SIGQUIT", quitSkip()]] as const) {
  testUnless(skip)(
    `a server that ${signal} ends prints no key`,
    () =>
      withFreshServer({ args: ["--key", KEY, "--store=memory:"] }, async (server) => {
        await addPet(server, KEY);
        assert.notEqual(await server.stop(signal), 0);
        assert.equal(findSecret(server.written.stdout + server.written.stderr, KEY), undefined);
      }),
  );
}

test("an app whose store throws, rejects and at last crashes the process prints why, and no key", async () => {
  const args = ["run", "--no-prompt", "--allow-net", "--allow-env=APP_KEY", fileURLToPath(APP)];
  await using child = new Child(Deno.execPath(), args, { env: { APP_KEY: KEY } });
  const [port] = await child.printed(/^\d+/);
  await failEveryWay(Number(port));
  assert.notEqual(await child.ended, 0);
  const { stdout, stderr } = child.written;
  const printed = stdout + stderr;
  for (const cause of [/thrown/, /rejected/, /SyntaxError/, /Uncaught.*thrown later/]) assert.match(printed, cause);
  assert.match(stdout, /handle/);
  assert.equal(findSecret(printed, KEY), undefined, printed);
});

async function failEveryWay(port: number): Promise<void> {
  const petstore = { port, validate: createResponseValidator(openApiOf(), "/v1") };
  const body = '{"name":"a","categoryId":1}';
  const head = `Host: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: ${body.length}\r\n\r\n`;
  for (const line of ["GET /v1/pets/1", "GET /v1/pets", "POST /v1/pets"]) {
    const response = await exchange(petstore, `${line} HTTP/1.1\r\n${head}${body}`);
    // The process may end before it sends its last response.
    if (response === undefined && line.startsWith("POST")) return;
    assert.equal(response?.status, 500);
    assert.equal(findSecret(response.text, KEY), undefined);
  }
}
