/** The program tests a server by its address: this project's, and others that are wrong. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { run } from "../lib/program.ts";
import { createPetstore } from "@petstore/petstore";
import { type Handle, KEY } from "../../../tests/support/api.ts";
import { withDenoServe } from "../../../tests/support/http/deno_serve.ts";
import { response, type Script, withScript } from "../../../tests/support/http/scripted_server.ts";
import { withFreshServerHere } from "../../../tests/support/server/in_process.ts";

interface Exit {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs the program in this process. */
async function runProgram(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Exit> {
  const written = { stdout: "", stderr: "" };
  const write = (text: string) => void (written.stdout += text);
  const tell = (text: string) => void (written.stderr += text);
  return { status: await run(args, { env, write, tell }), ...written };
}

function assertRefused({ status, stdout, stderr }: Exit, shows: RegExp): void {
  assert.deepEqual([status, stdout], [2, ""], stderr);
  assert.match(stderr, shows);
  assert.match(stderr, /^conformance: .*\n$/);
}

const SETTINGS = ["--cors-origin=https://shop.example", "--request-id=all", "--public-url=https://pets.example/api/v1"];

test("the program finds nothing wrong with this server, whatever its settings and its pets, and tells which pets it has left", () =>
  withFreshServerHere({ args: ["--store=memory:", `--key=${KEY}`, ...SETTINGS] }, async ({ origin }) => {
    writeFileSync("key", `${KEY}\n`);
    let pets = 0;
    for (const round of [1, 2]) {
      const { status, stdout, stderr } = await runProgram([`${origin}/v1`, "--json", "--key-file=key"]);
      const { cases, petIds } = JSON.parse(stdout);
      assert.equal(status, 0, `round ${round}: ${stdout}`);
      assert.ok(cases.length > 25 && cases.every(({ outcome }: { outcome: string }) => outcome === "pass"));
      const [first, last] = [pets + 1, pets += petIds.length];
      assert.deepEqual(petIds.map(Number), Array.from(petIds, (_, i) => first + i));
      assert.equal(stderr, `pets left behind: ${petIds.length}, with ids from ${first} to ${last}\n`);
    }
  }));

/** A petstore at the root of a port, some of whose requests another handler answers. */
async function withServer(
  answer: (request: Request) => Response | undefined,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const { handle } = createPetstore({ keys: [KEY] });
  const either: Handle = async (request) => answer(request) ?? await handle(request);
  await withDenoServe(either, (port) => use(`http://127.0.0.1:${port}/v1`));
}

/** The list that a case asks for without a query. */
function isBareList({ method, url }: Request): boolean {
  return method === "GET" && url.endsWith("/pets");
}

test("the program prints a line for each case, and for a failure the promise, the request and the response", async () => {
  const wrong = new TextEncoder().encode("\u009b2J\x7f]]>&<");
  const answer = (request: Request) => isBareList(request) ? new Response(wrong) : undefined;
  await withServer(answer, async (url) => {
    const args = [url, "--key", KEY, "--level=specification", "--only", "routes"];
    const { status, stdout, stderr } = await runProgram(args);
    assert.deepEqual([status, stderr], [1, "pets left behind: 1, with ids from 1 to 1\n"]);
    // Which other fields there are depends on the runtime.
    const lines = stdout.split("\n").filter((line) => !/^ +[<>] (?!authorization)[a-z-]+: /.test(line));
    assert.deepEqual(lines, [
      "FAIL  specification  routes                   sends pets and lists as application/json",
      "      promise: 1: Bodies sent and received are JSON (application/json)",
      '      reason:  The Content-Type must be application/json, not "missing"',
      "      > GET /v1/pets",
      "      > authorization: Bearer <key>",
      "      < 200",
      "      <",
      String.raw`      < \u{9b}2J\u{7f}]]>&<`,
      "specification: 0 passed, 1 failed",
      "",
    ]);
  });
});

test("the program ends after three cases in a row without a response", () => {
  // The program asks for a list before the first case. Each case is repeated once.
  const dead: Script = (_, number) => number === 0 ? response(200, "[]") : "";
  return withScript(dead, async ({ origin, requests }) => {
    const { status, stdout, stderr } = await runProgram([`${origin}/v1`, "--key", KEY]);
    assert.deepEqual([status, requests.length, stdout.match(/^FAIL/gm)?.length], [1, 7, 3]);
    assert.match(stderr, /^conformance: 3 cases in a row got no response, .*\npets left behind: none\n$/);
  });
});

test("the program tells in one line what is wrong with its command line or its server, and shows no word that may be a key", async () => {
  const moved = () => new Response(null, { status: 307, headers: { location: "/v1/pets" } });
  await withServer(({ url }) => url.includes("/old/") ? moved() : undefined, async (url) => {
    const env = { PETSTORE_KEYS: KEY };
    const key = "--key=pk_secret", nowhere = "http://127.0.0.1:9/v1";
    const refused: [args: string[], shows: RegExp][] = [
      [[], /Name one base address, such as https:/],
      [["http://user:pk_secret@127.0.0.1:9/v1", key], /The base address must be such as https:/],
      [[url, "--kee=pk_secret"], /--kee/],
      [[url, "--level=all"], /--level must be specification or full, not "all"/],
      [[url, "--only=pets.lst"], /--only must be an area, not "pets\.lst"; .* pets\.list, /],
      [[url, key], /answers 401, so it refuses the key/],
      [[`${url}/pets`], /answers 404, so it is not the base address/],
      [[`${url}/old`], /answers 307, so it is not the base address/],
      [[nowhere], /:9\/v1 cannot be reached: /],
    ];
    for (const [args, shows] of refused) {
      const exit = await runProgram(args, env);
      assertRefused(exit, shows);
      assert.ok(!exit.stderr.includes("pk_secret"), exit.stderr);
    }
    const unreadable = Object.defineProperty({}, "PETSTORE_KEYS", {
      get: () => {
        throw new TypeError('environment variable was not valid unicode: "pk_secret\\xFF"');
      },
    });
    assertRefused(await runProgram([url], unreadable), /PETSTORE_KEYS cannot be read: it must be UTF-8, /);
    for (const env of [{}, { PETSTORE_KEYS: "sha256:0, " }]) {
      assertRefused(
        await runProgram([url], env),
        /Name the key to send, in clear text, by --key-file, PETSTORE_KEYS or --key/,
      );
    }
  });
});

test("the program tells its version, and sends the first key of a server's PETSTORE_KEYS that is no digest", async () => {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.deepEqual(await runProgram(["--version"]), { status: 0, stdout: `conformance ${version}\n`, stderr: "" });
  await withServer(() => undefined, async (url) => {
    const env = { PETSTORE_KEYS: `sha256:0, ${KEY},pk_other\n` };
    const { status, stderr } = await runProgram([url, "--only=routes"], env);
    assert.equal(status, 0, stderr);
  });
});
