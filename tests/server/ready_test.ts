/** `ready`, which a container's health check runs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { runHere, withFreshServerHere } from "../support/server/in_process.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { assertRefused } from "../support/server/pet_files.ts";
import { runCommand } from "../support/server/server_process.ts";
import { testUnless } from "../support/test_with.ts";
import { whileReplaced } from "../support/while_replaced.ts";

test("ready tells that a server is ready, and asks no proxy of the environment, and not when it has ended", () =>
  withFreshServerHere({ args: ["--store=memory:", "--key=k"] }, async (server, folder) => {
    const { origin } = server;
    const ready = { status: 0, stdout: `${origin} is ready\n`, stderr: "" };
    // A store that could not be opened is of no interest.
    const env = { PETSTORE_STORE: "sqlite:no/such/folder/pets.db" };
    for (const url of [origin, `${origin}/`, `${origin}/v1`, origin.replace("//", "//user:secret@")]) {
      assert.deepEqual(await runHere(["ready", url], env), ready);
    }
    const { hostname, port } = new URL(origin);
    assert.equal(hostname, "127.0.0.1");
    assert.deepEqual(await runHere(["ready"], { ...env, PORT: ` ${port}\r\n` }), ready);
    assert.deepEqual(await runHere(["ready", "--port", port], { PETSTORE_PORT: "9" }), ready);
    const proxy = "http://127.0.0.1:9";
    assert.deepEqual(
      await runCommand(folder, ["ready", origin], { HTTP_PROXY: proxy, http_proxy: proxy }),
      ready,
    );
    await server.stop();
    assertRefused(await runHere(["ready", origin]), /^petstore: http:\S+ cannot be asked: .*refused/i, 1);
  }));

/** What is at an address, and the exit status and the line of the check. */
const ANSWERS: [status: number, body: string, exit: number, shows: RegExp][] = [
  [
    503,
    '{"code":"store_unavailable","message":"The store is down","status":503}',
    1,
    /is not ready: The store is down$/m,
  ],
  [503, "Busy", 1, /is not ready: Busy$/m],
  [404, "{}", 2, /answers \/readyz with 404, so it is not the port of a server/],
  // Followed, it would be another server's answer.
  [302, "", 2, /answers \/readyz with 302/],
];

test("ready tells why a server is not ready, or that another program answers", async () => {
  for (const [status, body, exit, shows] of ANSWERS) {
    const answer = ({ url }: Request) => {
      const isAsked = url.endsWith("/readyz");
      return Promise.resolve(new Response(body, { status: isAsked ? status : 200, headers: { location: "/livez" } }));
    };
    await withDenoServe(answer, async (port) => {
      assertRefused(await runHere(["ready", `http://127.0.0.1:${port}`]), shows, exit);
    });
  }
});

// The time limit is replaced within this process, where a command on Deno runs.
const testHere = testUnless(ON_NODE && "the command has a process of its own on Node");

testHere(
  "ready waits five seconds for an answer and its body, and then says that the server cannot be asked",
  async () => {
    const never = new Promise<Response>(() => {});
    const endless = () => new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(1)) }));
    const { timeout } = AbortSignal;
    const limits: number[] = [];
    const short = (milliseconds: number) => (limits.push(milliseconds), timeout.call(AbortSignal, 50));
    for (const answer of [() => never, () => Promise.resolve(endless())]) {
      await withDenoServe(answer, async (port) => {
        const asked = whileReplaced(
          AbortSignal,
          { timeout: short },
          () => runHere(["ready", `http://127.0.0.1:${port}`]),
        );
        const run = await Promise.race([asked, pause(20_000, undefined, { ref: false })]);
        assert.ok(run, "the command has not ended");
        assertRefused(run, /^petstore: http:\S+ cannot be asked: /, 1);
      });
    }
    assert.deepEqual(limits, [5_000, 5_000]);
  },
);
