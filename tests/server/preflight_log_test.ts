/** A refused preflight is told to the operator, because a browser tells its page no reason. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPreflightLog } from "../../lib/server/telemetry/preflight_log.ts";
import { createContext } from "../support/context.ts";
import { withFreshServerHere } from "../support/server/in_process.ts";

const KEY = "pk_test";

function preflight(origin: string): RequestInit {
  return { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } };
}

test("a refused preflight is told once for each origin, with the setting that would permit it", () =>
  withFreshServerHere(
    { args: ["--store=memory:", `--key=${KEY}`, "--cors-origin=https://one.example"] },
    async (server) => {
      // The description names no preflight of an origin that is not permitted, so its responses are not compared with it.
      const ask = async (init: RequestInit) =>
        void await (await fetch(`${server.origin}/v1/pets`, init)).body?.cancel();
      for (const origin of ["https://one.example", "https://two.example", "https://two.example", "null"]) {
        await ask(preflight(origin));
      }
      await ask({ method: "OPTIONS", headers: { origin: "https://three.example" } });
      await ask({ headers: { origin: "https://four.example", authorization: `Bearer ${KEY}` } });
      assert.equal(await server.stop(), 0);
      const told = server.written.stderr.split("\n").filter((line) => line.includes("--cors-origin"));
      assert.deepEqual(told, [
        'petstore: a page of "https://two.example" may not use the API; --cors-origin "https://two.example" would permit it',
        'petstore: a page of "null" may not use the API; --cors-origin "*" would permit it',
      ]);
    },
  ));

test("no client can fill the log with origins, or with one that is long or has control characters", () => {
  const lines: string[] = [];
  const observe = createPreflightLog((line) => lines.push(line));
  for (let i = 0; i < 1_000; i++) {
    const fields = { origin: `https://${i}\u0085${"x".repeat(5_000)}`, "access-control-request-method": "GET" };
    observe(createContext(fields, "OPTIONS", "/v1/pets"), { status: 401, headers: {}, body: null }, 0, 0);
  }
  assert.equal(lines.length, 21);
  assert.equal(lines.at(-1), "further origins that are refused are not told");
  for (const line of lines) {
    assert.ok(line.length < 600, line);
    assert.doesNotMatch(line, /\p{Cc}/u);
  }
});
