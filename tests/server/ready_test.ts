/** `ready`, which a container's health check runs. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { withListening } from "../support/http/listening.ts";
import { runHere, withFreshServerHere } from "../support/server/in_process.ts";
import { assertRefused } from "../support/server/pet_files.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { runCommand } from "../support/server/server_process.ts";
import { testUnless } from "../support/system/commands.ts";
import { whileReplaced } from "../support/while_replaced.ts";

test("ready tells that a server is ready, and asks no proxy of the environment, and not when it has ended", () =>
  withFreshServerHere({ args: ["--store=memory:", "--key=k"] }, async (server, folder) => {
    const { origin } = server;
    const ready = { status: 0, stdout: `${origin} is ready\n`, stderr: "" };
    // A store that could not be opened is of no interest.
    const env = { PETSTORE_STORE: "sqlite:no/such/folder/pets.db" };
    assert.deepEqual(await runHere(["ready"], { ...env, PORT: ` ${server.port}\r\n` }), ready);
    const proxy = "http://127.0.0.1:9";
    const proxies = { HTTP_PROXY: proxy, http_proxy: proxy, NODE_USE_ENV_PROXY: "1" };
    assert.deepEqual(await runCommand(folder, ["ready", `--port=${server.port}`], proxies), ready);
    await server.stop();
    assertRefused(
      await runHere(["ready", `--port=${server.port}`]),
      /^petstore: http:\S+ cannot be asked: .*refused/i,
      1,
    );
  }));

const DOWN = '{"code":"store_unavailable","message":"The store is down","status":503}';

/** What is at an address, and the exit status and the line of the check. */
const ANSWERS: [status: number, body: string, exit: number, shows: string][] = [
  [503, DOWN, 1, "is not ready: The store is down\n"],
  [503, "Busy", 1, "is not ready: Busy\n"],
  [404, "{}", 2, "answers /readyz with 404, so it is not the port of a server"],
  [200, "<title>App</title>", 2, "answers /readyz with a page of its own, so it is not the port of a server"],
  // Followed, it would be another server's answer.
  [302, "", 2, "answers /readyz with 302"],
];

test("ready tells why a server is not ready, or that another program answers", async () => {
  for (const [status, body, exit, shows] of ANSWERS) {
    const answer = () => Promise.resolve(new Response(body, { status, headers: { location: "/livez" } }));
    await withDenoServe(answer, async (port) => {
      assertRefused(await runHere(["ready", `--port=${port}`]), shows, exit);
    });
  }
});

testUnless(ON_NODE && "the command is a process of its own on Node, so its time limit cannot be shortened")(
  "ready does not wait for a server that never answers",
  async () => {
    // It gives up at last, so that the test ends if the command waits.
    let hasGivenUp = false;
    const silent = createServer((request, response) => {
      const timer = setTimeout(() => {
        hasGivenUp = true;
        request.destroy();
      }, 2_000);
      response.on("close", () => clearTimeout(timer));
    });
    const { timeout } = AbortSignal;
    await withListening(silent, (port) =>
      whileReplaced(AbortSignal, { timeout: () => timeout(50) }, async () => {
        assertRefused(await runHere(["ready", `--port=${port}`]), /cannot be asked: .*time/i, 1);
        assert.equal(hasGivenUp, false);
      }));
  },
);
