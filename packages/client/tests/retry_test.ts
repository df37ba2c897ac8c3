/** When createClient() tries again, in virtual time. */

import assert from "node:assert/strict";
import type { ClientOptions, PetstoreError } from "../mod.ts";
import { answeredBy, failed } from "./support.ts";
import { testWith } from "../../../tests/support/test_with.ts";
import { type VirtualClock, withVirtualClock } from "../../../tests/support/virtual_clock.ts";
import { whileReplaced } from "../../../tests/support/while_replaced.ts";

const test = testWith<[VirtualClock]>(withVirtualClock);

const REX = '{"id":1,"name":"Rex","categoryId":7,"status":"sold"}';

/** What a server answers to an attempt, numbered from 0. */
type Responses = (number: number) => Response | Promise<Response>;

/** What happens to a call of a server with these responses: the moments of the attempts, and its end. */
async function tried(
  responses: Responses,
  clock: VirtualClock,
  { signal, ...options }: Partial<ClientOptions> & { signal?: AbortSignal } = {},
) {
  const at: number[] = [];
  // The calls are limited, because a test that fails might otherwise not end.
  const answer = () => at.push(clock.now()) > 1000 ? new Response(REX) : responses(at.length - 1);
  const [end] = await Promise.allSettled([
    answeredBy(answer, { maxRetries: undefined, ...options }).get(1n, { signal }),
  ]);
  assert.equal(clock.pending(), 0, "A timer is left behind");
  const error: PetstoreError | undefined = end?.status === "rejected" ? end.reason : undefined;
  return { at, endedAt: clock.now(), name: end?.status === "fulfilled" ? end.value.name : undefined, error };
}

const failing = (status: number, headers: Record<string, string> = {}) => () =>
  new Response("Busy", { status, headers });
const silent = () => new Promise<Response>(() => {});
const unreachable = () => Promise.reject(new TypeError("failed", { cause: { code: "ECONNREFUSED" } }));
const cut = () => Promise.reject(new TypeError("Cut"));
const limited = failing(429);

const ENDLESS = { timeoutMs: 2 ** 31 - 1, maxRetries: 40 };

test("a request is repeated after 408, 429, 502, 503 and 504 until it succeeds, and after no other status", async (clock) => {
  for (const status of [408, 429, 502, 503, 504]) {
    const { at, name } = await tried((n) => n < 3 ? failing(status)() : new Response(REX), clock);
    assert.deepEqual([at.length, name], [4, "Rex"], String(status));
  }
  for (const status of [400, 401, 403, 404, 409, 422, 500, 501, 505]) {
    const { at, error } = await tried(failing(status), clock);
    assert.deepEqual([at.length, error?.status], [1, status]);
  }
});

test("the pauses are random from zero on, and their bounds double from 100 ms to 5 s", async (clock) => {
  for (const draw of [0, 0.5, 1]) {
    await whileReplaced(Math, { random: () => draw }, async () => {
      const { at } = await tried(failing(503), clock, { ...ENDLESS, maxRetries: 9 });
      const pauses = at.slice(1).map((moment, number) => moment - at[number]!);
      const bounds = [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000];
      assert.deepEqual(pauses, bounds.map((bound) => draw * bound));
    });
  }
});

const date = "Sat, 21 Nov 2026 00:00:00 GMT";

/** What Retry-After says, and how long the pause is at least and at most; undefined if the call ends at once. */
const WAITS: [name: string, fields: () => Record<string, string>, pause?: [least: number, most: number]][] = [
  ["seconds", () => ({ "retry-after": "20" }), [20_000, 20_100]],
  ["a date, by the server's own clock", () => ({ date, "retry-after": date.replace(":00 ", ":20 ") }), [
    20_000,
    20_100,
  ]],
  // It has no zone, but means GMT, wherever the client is.
  ["a date in the obsolete form", () => ({ date, "retry-after": "Sat Nov 21 00:00:20 2026" }), [20_000, 20_100]],
  // It is in whole seconds.
  ["a date, by the own clock", () => ({ "retry-after": new Date(Date.now() + 20_000).toUTCString() }), [
    18_000,
    20_100,
  ]],
  ["a date in the past", () => ({ "retry-after": date.replace("2026", "2020") }), [0, 100]],
  ["a word", () => ({ "retry-after": "soon" }), [0, 100]],
  ["a negative number", () => ({ "retry-after": "-5" }), [0, 100]],
  ["beyond the deadline", () => ({ "retry-after": "30" })],
  ["beyond every number", () => ({ "retry-after": "99999999999999999999999" })],
];

for (const [name, fields, pause] of WAITS) {
  test(`a request waits as Retry-After asks, or fails at once if that is too long; it is ${name}`, async (clock) => {
    const { at, endedAt, error } = await tried(failing(503, fields()), clock, { maxRetries: 2 });
    assert.equal(error?.status, 503);
    if (!pause) return assert.deepEqual([at, endedAt], [[0], 0]);
    const [least, most] = pause, waited = at[1]! - at[0]!;
    assert.ok(waited >= least && waited <= most, String(at));
    assert.ok(least === 0 || error!.retryAfterMs! >= least);
  });
}

test("retries end with the deadline, with the last error", async (clock) => {
  const { at, endedAt, error } = await tried(cut, clock, { maxRetries: Infinity, timeoutMs: 60_000 });
  assert.ok(at.length > 10 && endedAt > 50_000 && endedAt < 60_000);
  assert.match(error!.message, /got no whole response: Cut \(\d+ attempts\)$/);
});

test("an attempt that stays silent is given up after a third of the time, but at least a second, and the request repeated", async (clock) => {
  for (const [timeoutMs, limit] of [[30_000, 10_000], [2_000, 1_000]] as const) {
    const { at, name } = await tried((n) => n < 1 ? silent() : new Response(REX), clock, { timeoutMs });
    assert.deepEqual([at.length, name], [2, "Rex"]);
    const waited = at[1]! - at[0]!;
    assert.ok(waited >= limit && waited <= limit + 100, String(at));
  }
});

test("a silent body is given up as a silent connection is, and its request is aborted", async (clock) => {
  const signals: AbortSignal[] = [];
  const pets = answeredBy(({ signal }) => {
    signals.push(signal);
    return new Response(new ReadableStream());
  }, { timeoutMs: 60_000, maxRetries: 2 });
  assert.deepEqual([(await failed(pets.get(1n))).code, clock.now()], ["deadline_exceeded", 60_000]);
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true, true]);
});

test("a request that is not repeated has the whole time", async (clock) => {
  const late = () => new Promise<Response>((resolve) => setTimeout(() => resolve(new Response(REX)), 29_000));
  assert.equal((await tried(late, clock, { maxRetries: 0 })).name, "Rex");
  const pets = answeredBy(late, { maxRetries: 10 });
  assert.equal((await pets.create({ name: "Rex", categoryId: 7n }, { idempotencyKey: null })).name, "Rex");
});

/** Attempts before a refusal, and the status of the first one that may have been carried out. */
const DOUBTS: [name: string, before: Responses[], doubtful?: number][] = [
  ["it is the first attempt", []],
  ["the attempts before were limited or unreachable", [limited, unreachable, limited]],
  ["an attempt before was cut", [limited, cut, failing(502)], 0],
  ["an attempt before got a 502", [unreachable, failing(502), cut], 502],
];

for (const [name, before, doubtful] of DOUBTS) {
  test(`a refusal has as its cause the first attempt that may have been carried out; ${name}`, async (clock) => {
    const refusal = () => Response.json({ code: "invalid_api_key", message: "No" }, { status: 401 });
    const { at, error } = await tried((n) => (before[n] ?? refusal)(n), clock);
    assert.deepEqual([at.length, error?.code], [before.length + 1, "invalid_api_key"]);
    assert.equal((error?.cause as PetstoreError | undefined)?.status, doubtful);
  });
}

test("the deadline holds for a fetch that ignores its signal, and has as its cause the failure of the last attempt", async (clock) => {
  const { endedAt, error } = await tried((n) => n < 2 ? failing(503 - n)() : silent(), clock, { maxRetries: 2 });
  assert.deepEqual([error?.code, endedAt], ["deadline_exceeded", 30_000]);
  assert.equal((error?.cause as PetstoreError).status, 502);
});

test("a signal that is aborted in a pause ends the call at once, and nothing is sent after it", async (clock) => {
  const controller = new AbortController(), { signal } = controller;
  const reason = new Error("The user has left");
  setTimeout(() => controller.abort(reason), 1000);
  const { at, endedAt, error } = await tried(failing(503, { "retry-after": "5" }), clock, { signal });
  assert.deepEqual([at.length, endedAt], [1, 1000]);
  assert.equal(error as unknown, reason);
});

test("a call throws the reason of its signal unchanged, also if that is the error of another call", async (clock) => {
  const { error: reason } = await tried(failing(400), clock);
  const controller = new AbortController(), { signal } = controller;
  const leave = (number: number) => {
    if (number < 1) return failing(503)();
    controller.abort(Object.freeze(reason));
    return cut();
  };
  const { at, error } = await tried(leave, clock, { maxRetries: 5, signal });
  assert.deepEqual([at.length, error?.status, error?.cause], [2, 400, undefined]);
  assert.equal(error, reason);
});

test("a call that ends leaves no listener at its signal", async (clock) => {
  const { signal } = new AbortController();
  const kept = new Set<unknown>();
  const addEventListener = (_: string, listener: unknown) => kept.add(listener);
  const removeEventListener = (_: string, listener: unknown) => kept.delete(listener);
  Object.assign(signal, { addEventListener, removeEventListener });
  const { at } = await tried((n) => n < 2 ? failing(503)() : new Response(REX), clock, { signal });
  assert.deepEqual([at.length, kept.size], [3, 0]);
});

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

/** A refused connection, as fetch() throws it on Node, on Node for a name with two addresses, on Bun and on Deno. */
const REFUSALS: [runtime: string, refusal: Error][] = [
  ["Node", new TypeError("fetch failed", { cause: coded("connect ECONNREFUSED 127.0.0.1:1", "ECONNREFUSED") })],
  ["Node, for two addresses", new TypeError("fetch failed", { cause: coded("", "ECONNREFUSED") })],
  ["Bun", coded("Unable to connect. Is the computer able to access the url?", "ConnectionRefused")],
  ["Deno", new TypeError("error sending request: tcp connect error: Connection refused (os error 111)")],
];

for (const [runtime, refusal] of REFUSALS) {
  test(`a connection that is refused, as ${runtime} says it, is told within 2.5 s, with its reason and the attempts`, async (clock) => {
    const { at, endedAt, error } = await tried(() => Promise.reject(refusal), clock);
    assert.equal(endedAt, 2_500);
    assert.ok(at.length > 3);
    assert.match(error!.message, new RegExp(`got no whole response: .+ \\(${at.length} attempts\\)$`));
  });
}

test("a server that restarts again and again has 2.5 seconds each time: an answer between ends the time of refusals", async (clock) => {
  // Each restart takes about two seconds, and the three together more than a client waits for one.
  let lastAnswerAt = 0, restarts = 0;
  const restarting = () => {
    if (clock.now() - lastAnswerAt < 2_000) return unreachable();
    lastAnswerAt = clock.now();
    return ++restarts < 3 ? failing(503)() : new Response(REX);
  };
  const { name, endedAt } = await tried(restarting, clock, ENDLESS);
  assert.equal(name, "Rex");
  assert.ok(endedAt >= 6_000);
});
