import assert from "node:assert/strict";
import { test } from "node:test";
import { whyNoPostgres } from "../../support/postgres/postgres.ts";
import { POSTGRES } from "../../support/stores.ts";
import { MALFORMED_CASES } from "./generators/malformed.ts";
import type { Handle } from "./host.ts";
import type { Draft } from "./request.ts";
import { formatFinding, search } from "./search.ts";
import { runSequence } from "./session.ts";
import { KEY } from "./settings.ts";
import { SOCKET } from "./socket_host.ts";
import { FUZZED_STORES } from "./stores.ts";
import { Tally } from "./tally.ts";

const SEED = 20301205;
const LIST: Draft = {
  method: "GET",
  target: "/v1/pets",
  headers: [["Authorization", `Bearer ${KEY}`]],
  framing: "length",
  isWalk: false,
};
const MEMORY = FUZZED_STORES.slice(0, 1);
const stores = whyNoPostgres() ? FUZZED_STORES : [...FUZZED_STORES, POSTGRES];

test("over a socket, every store answers random requests as predicted, and malformed ones get 400 or a closed connection", async () => {
  const extent = { seed: SEED, sequences: 25 };
  const tally = new Tally();
  const finding = await search({ host: SOCKET, stores, tally }, extent);
  assert.ok(!finding, finding && `${formatFinding(finding, extent)} --socket`);
  assert.ok(tally.requests > 400, `only ${tally.requests} requests were sent`);
});

test("over a socket, each kind of malformed request gets 400 or a closed connection, and does no harm", async () => {
  const tally = new Tally();
  // The model expects that none of them has left a pet.
  await runSequence([...MALFORMED_CASES, LIST], { host: SOCKET, stores: MEMORY, tally });
  assert.equal(tally.requests, MALFORMED_CASES.length + 1);
  assert.ok(tally.responses.delete("200"));
  for (const kind of tally.responses.keys()) {
    assert.match(kind, /^no HTTP: (400|closed|let through, 400 invalid_json)$/);
  }
});

test("over a socket, the search finds a petstore that fails at a malformed request", async () => {
  const body = { code: "internal_error", message: "An internal error occurred", status: 500 };
  const wrap = (handle: Handle): Handle => async (request) => {
    const response = await handle(request);
    return response.status === 400
      ? new Response(JSON.stringify(body), { status: 500, headers: response.headers })
      : response;
  };
  const ground = { host: SOCKET, stores: MEMORY, tally: new Tally(), wrap };
  await assert.rejects(runSequence(MALFORMED_CASES, ground), /a body that is cut short: 500/);
});
