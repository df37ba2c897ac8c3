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
const unreachable = () => Promise.reject(new TypeError("failed", { cause: { code: "ECONNREFUSED" } }));
const cut = () => Promise.reject(new TypeError("Cut"));

test("a request is repeated after 408, 429, 502, 503 and 504 until it succeeds, and after no other status", async (clock) => {
  for (const status of [408, 429, 502, 503, 504]) {
    const { at, name } = await tried((n) => n < 3 ? failing(status)() : new Response(REX), clock);
    assert.deepEqual([at.length, name], [4, "Rex"], String(status));
  }
  for (const status of [401, 422, 500, 501]) {
    const { at, error } = await tried(failing(status), clock);
    assert.deepEqual([at.length, error?.status], [1, status]);
  }
  const { at } = await tried(() => Promise.reject(Object.assign(new Error(), { name: "NotCapable" })), clock);
  assert.equal(at.length, 1, "Deno lacks a permission");
});

test("the pauses are random, and their bounds double from 100 ms to 5 s", async (clock) => {
  await whileReplaced(Math, { random: () => 0.5 }, async () => {
    const { at } = await tried(failing(503), clock, { timeoutMs: 100_000, maxRetries: 8 });
    const pauses = at.slice(1).map((moment, number) => moment - at[number]!);
    assert.deepEqual(pauses, [50, 100, 200, 400, 800, 1600, 2500, 2500]);
  });
});

/** What Retry-After says, and how long the pause is at least and at most; undefined if the call ends at once. */
const WAITS: [value: () => string, pause?: [least: number, most: number]][] = [
  [() => "20", [20_000, 20_100]],
  // A date is in whole seconds.
  [() => new Date(Date.now() + 20_000).toUTCString(), [18_000, 20_100]],
  [() => "soon", [0, 100]],
  // Beyond the deadline.
  [() => "30"],
];

test("a request waits as Retry-After asks, or fails at once if that is too long", async (clock) => {
  for (const [value, pause] of WAITS) {
    const { at, error } = await tried(failing(503, { "retry-after": value() }), clock, { maxRetries: 1 });
    assert.equal(error?.status, 503);
    assert.equal(at.length, pause ? 2 : 1);
    const [least, most] = pause ?? [0, 0], waited = at.at(-1)! - at[0]!;
    assert.ok(waited >= least && waited <= most, `${value()}: ${waited}`);
  }
});

const silent = () => new Promise<Response>(() => {});
const silentBody = () => new Response(new ReadableStream());

test("a silent attempt, or body, is aborted after a third of the time, but at least a second, and the request repeated", async (clock) => {
  for (const [timeoutMs, limit] of [[30_000, 10_000], [2_000, 1_000]] as const) {
    const begun = clock.now(), signals: AbortSignal[] = [];
    const stay = ({ signal }: Request) => signals.push(signal) < 2 ? silent() : silentBody();
    const { code, cause } = await failed(answeredBy(stay, { maxRetries: 1, timeoutMs }).get(1n));
    // The last attempt has the rest of the time.
    assert.deepEqual([code, clock.now() - begun], ["deadline_exceeded", timeoutMs]);
    const { code: earlier, message } = cause as PetstoreError;
    assert.deepEqual([earlier, message], ["connection_failed", `No response within ${limit} ms`]);
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
  }
});

test("a refusal has as its cause the failure of the attempt before, which may have been carried out", async (clock) => {
  const refusal = () => Response.json({ code: "invalid_api_key", message: "No" }, { status: 401 });
  for (const before of [[], [cut, failing(502)]]) {
    const { at, error } = await tried((n) => (before[n] ?? refusal)(), clock);
    assert.deepEqual([at.length, error?.code], [before.length + 1, "invalid_api_key"]);
    assert.equal((error?.cause as PetstoreError | undefined)?.status, before.length > 0 ? 502 : undefined);
  }
});

test("a signal that is aborted in a pause, in an attempt, within `fetch` or before ends the call at once", async (clock) => {
  const reason = new Error("The user has left");
  for (const responses of [failing(503, { "retry-after": "5" }), silent, silentBody]) {
    const begun = clock.now(), controller = new AbortController(), { signal } = controller;
    setTimeout(() => controller.abort(reason), 1000);
    const { at, endedAt, error } = await tried(responses, clock, { signal });
    assert.deepEqual([at.length, endedAt - begun, error as unknown], [1, 1000, reason]);
  }
  const begun = clock.now(), controller = new AbortController(), { signal } = controller;
  const leave = () => {
    controller.abort(reason);
    return silent();
  };
  for (const attempts of [1, 0]) {
    const { at, endedAt, error } = await tried(leave, clock, { signal });
    assert.deepEqual([at.length, endedAt, error as unknown], [attempts, begun, reason]);
  }
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

/** A refused connection, as fetch() throws it on Node for a name with two addresses, on Bun and on Deno. */
const REFUSALS: Error[] = [
  new TypeError("fetch failed", { cause: coded("", "ECONNREFUSED") }),
  coded("Unable to connect. Is the computer able to access the url?", "ConnectionRefused"),
  new TypeError("error sending request: tcp connect error: Connection refused (os error 111)"),
];

test("a connection that is refused is told within two to three seconds, with its reason and the attempts", async (clock) => {
  for (const refusal of REFUSALS) {
    const begun = clock.now();
    const { endedAt, error } = await tried(() => Promise.reject(refusal), clock);
    assert.ok(endedAt - begun >= 2_000 && endedAt - begun <= 3_000);
    assert.match(error!.message, /got no whole response: .+ \(6 attempts\)$/);
  }
  // Another failure between them begins the count anew.
  assert.equal((await tried((n) => n === 3 ? cut() : unreachable(), clock)).at.length, 10);
});
