/** Mistakes of clients that their responses do not show are told to the operator, once each. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createNotices } from "../../lib/server/telemetry/notices.ts";
import { createContext } from "../support/context.ts";
import { withFreshServerHere } from "../support/server/in_process.ts";

const KEY = "pk_test";

test("a refused preflight is told once for each origin, and an unknown parameter of a list once, to callers with a key alone", () => {
  const args = ["--store=memory:", `--key=${KEY}`, "--cors-origin=https://one.example"];
  return withFreshServerHere({ args }, async (server) => {
    // The description names no preflight of an origin that is not permitted, so its responses are not compared with it.
    const send = async (init: RequestInit) => void await (await fetch(`${server.origin}/v1/pets`, init)).body?.cancel();
    for (const origin of ["https://one.example", "https://two.example", "https://two.example", "null"]) {
      await send({ method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
    }
    await send({ headers: { origin: "https://four.example", authorization: `Bearer ${KEY}` } });
    await server.ask("/v1/pets?wrong_key=1", "pk_other");
    const hidden = `/v1/pets?${KEY}1234567890&petstore_nKrDE4KS8rI6jD2a6ZhUQ5G5FIqw9K3gXuTI&limit`;
    const targets = [...Array(4).fill("/v1/pets?staus=sold&limit=2&%73tatus=sold"), hidden, "/docs?theme=dark"];
    for (const target of targets) await server.ask(target, KEY);
    assert.equal(await server.stop(), 0);
    assert.deepEqual(server.written.stderr.trimEnd().split("\n"), [
      'petstore: a page of "https://two.example" may not use the API; --cors-origin "https://two.example" would permit it',
      'petstore: a page of "null" may not use the API; --cors-origin "*" would permit it',
      "petstore: /v1/pets has no parameter staus, so it was ignored; it has limit, status, cursor",
    ]);
  });
});

test("a client gets no more than twenty notices into the log, short ones of visible characters", () => {
  const lines: string[] = [];
  const observe = createNotices((line) => lines.push(line));
  for (let i = 0; i < 100; i++) {
    const origin = `https://${i}\u0085${"x".repeat(5_000)}`;
    const context = createContext({ origin, "access-control-request-method": "GET" }, "OPTIONS");
    observe(context, { status: 204, headers: {}, body: null }, 0, 0);
  }
  assert.equal(lines.length, 21);
  assert.equal(lines.at(-1), "further mistakes of clients are not told");
  for (const line of lines) assert.match(line, /^\P{Cc}{1,600}$/u);
});
