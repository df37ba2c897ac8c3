/**
 * The order of events when a server ends, whatever the clients do meanwhile: hundreds of orders in
 * one process, without sockets.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Reply } from "../../lib/http/reply.ts";
import { DrainGate } from "../../lib/server/serving/drain_gate.ts";
import { createServerPipeline } from "../../lib/server/serving/server_pipeline.ts";
import { createMemoryStore } from "../../mod.ts";
import { createContext } from "../support/context.ts";
import { PET } from "../support/server/server_process.ts";
import { startWithoutSocket } from "../support/server/in_process.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

/** How long requests are held before the socket closes. */
const HOLD_MS = 250;

/**
 * How long a step of a client or of the store takes: less than the hold, which is made for clients
 * that are as fast.
 */
const STEP_MS = fc.infiniteStream(fc.integer({ min: 0, max: HOLD_MS - 50 }));

/**
 * A client sends its requests on one connection, each after the response to the one before. The
 * last body may never end.
 */
const CLIENT = fc.record({ requests: fc.integer({ min: 1, max: 4 }), isFinished: fc.boolean() });

const BODY = new TextEncoder().encode(PET);

interface Client {
  requests: number;
  isFinished: boolean;
}

/** Ends a server that has these clients. */
async function endServer(clients: Client[], times: fc.Stream<number>) {
  /** Waits for as long as the next event takes. */
  const step = () => new Promise<void>((resolve) => setTimeout(resolve, times.next().value));
  /** What happened to each request. The phases are those of the server when it was sent and when it was answered. */
  const exchanges: { sent: string; replied?: string; isFinished: boolean; reply?: Reply }[] = [];
  const wrong: string[] = [];
  const written = { stdout: "", stderr: "" };
  let phase = "serving";
  let stored = 0;
  let thinking = 0;
  let lastReplyAt = 0;

  const store = Object.assign(createMemoryStore(), {
    create: async () => {
      if (phase === "closed") wrong.push("a create after the store was closed");
      await step();
      return BigInt(++stored);
    },
    close: () => {
      if (phase !== "stopped") wrong.push("the store is closed before the connections have ended");
      phase = "closed";
    },
  });
  /** Stops the listener. The connections end a step later. */
  const stop = async () => {
    if (thinking > 0) wrong.push("the socket closes while a client may still send");
    if (performance.now() - lastReplyAt < HOLD_MS) wrong.push("a request was answered while requests are held");
    phase = "refusing";
    await step();
    phase = "stopped";
  };
  const { gate, end } = await startWithoutSocket(["--key=k"], store, { stop, written, holdTimeMs: HOLD_MS });

  function send(body: Promise<Uint8Array>): Promise<Reply> {
    const openBody = () =>
      new ReadableStream({
        async pull(controller) {
          controller.enqueue(await body);
          controller.close();
        },
      });
    const context = { ...createContext({ authorization: "Bearer k" }, "POST"), readBody: () => body, openBody };
    return new Promise((resolve) => void gate.respond(context, resolve));
  }

  async function play({ requests, isFinished: isLastFinished }: Client) {
    for (let i = 1; i <= requests; i++) {
      thinking++;
      await step();
      thinking--;
      if (phase === "refusing" || phase === "stopped") return;
      const isFinished = isLastFinished || i < requests;
      const exchange: typeof exchanges[number] = { sent: phase, isFinished };
      exchanges.push(exchange);
      const reply = await send(isFinished ? step().then(() => BODY) : new Promise(() => {}));
      Object.assign(exchange, { reply, replied: phase });
      lastReplyAt = performance.now();
      if ("connection" in reply.headers) return;
    }
  }

  // The digest of a key is computed once, in another thread.
  await send(Promise.resolve(BODY.slice(1)));

  await withVirtualClock(async () => {
    for (const client of clients) void play(client);
    for (let i = 0; i < clients.length; i++) await step();
    phase = "ending";
    await end();
  });
  assert.deepEqual([wrong, phase], [[], "closed"]);
  const answered = exchanges.filter(({ reply }) => reply);
  assert.equal(answered.filter(({ reply }) => reply!.status === 201).length, stored);
  for (const { sent, replied, isFinished, reply } of exchanges) {
    assert.ok(reply || !isFinished, "a whole request has no reply");
    if (!reply) continue;
    assert.equal(reply.status, sent !== "serving" ? 503 : isFinished ? 201 : 408);
    assert.equal("connection" in reply.headers, replied !== "serving");
  }
  // The first request has a line too.
  assert.equal(written.stdout.match(/ POST /g)?.length, answered.length + 1);
}

test("when a server ends, each request gets one reply, none is lost while others are held, and the store is closed last", () =>
  fc.assert(fc.asyncProperty(fc.array(CLIENT, { maxLength: 6 }), STEP_MS, endServer), { numRuns: 300 }));

test("a reset that ends after the signal lets no request in again", async () => {
  const service = createServerPipeline({ keys: ["k"] }, { hasDocs: false });
  const gate = new DrainGate();
  const ask = () => gate.respond(createContext({ authorization: "Bearer k" }), ({ status }) => status);
  gate.open(service);
  assert.equal(await ask(), 200);
  for (const end of [() => gate.refuse(), () => gate.hold()()]) {
    await end();
    gate.open(service);
    assert.equal(await ask(), 503);
  }
});
