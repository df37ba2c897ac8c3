/** The gate of a server in each of its states. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createFinisher } from "../../lib/http/finisher.ts";
import type { Pipeline } from "../../lib/http/pipeline.ts";
import type { Reply } from "../../lib/http/reply.ts";
import { DrainGate } from "../../lib/server/service/drain_gate.ts";
import { createContext } from "../support/context.ts";

const finisher = createFinisher({ requestIds: "none" });
const DONE: Reply = { status: 200, headers: {}, body: "[]" };

/** A service that answers when `reply` resolves. */
function serviceOf(reply: Promise<Reply>): Pipeline {
  return { respond: async (_, send) => send(await reply), fail: () => DONE, finisher };
}

function ask(gate: DrainGate): Promise<Reply> {
  return Promise.resolve(gate.respond(createContext({}), undefined, (reply) => reply));
}

/** What a client sees of a reply: its status, and whether it ends the connection. */
function seen({ status, headers }: Reply): unknown[] {
  return [status, headers["connection"]];
}

test("a gate that lets nobody in does so too when its service is replaced, as a reset does that ends late", async () => {
  const gate = new DrainGate(), service = serviceOf(Promise.resolve(DONE));
  gate.replace(service);
  assert.equal((await ask(gate)).status, 503);
  gate.open(service);
  gate.replace(service);
  assert.deepEqual(seen(await ask(gate)), [200, undefined]);
  await gate.refuse();
  gate.replace(service);
  assert.equal((await ask(gate)).status, 503);
  gate.hold();
  gate.replace(service);
  const held = ask(gate);
  gate.end();
  assert.equal((await held).status, 503);
  gate.replace(service);
  assert.equal((await ask(gate)).status, 503);
});
