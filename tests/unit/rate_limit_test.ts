/** Limits on the requests of callers, and on guesses at keys. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { INVALID_KEY } from "../../lib/access/bearer.ts";
import { createLimitMemory, createLimitTable } from "../../lib/access/limit_table.ts";
import { limitRate, networksOf } from "../../lib/access/rate_limit.ts";
import type { Caller } from "../../lib/http/context.ts";
import { Problem } from "../../lib/http/problem.ts";
import { serve } from "../../lib/hosts/fetch.ts";
import { createService } from "../../lib/petstore/service.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { createRateLimit, type RateLimitOptions } from "../../mod.ts";
import { createContext } from "../support/context.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const MINUTE = 60_000;

/** A petstore with two callers, ten requests a minute, and a clock that the test sets. */
function createLimited(options: Partial<RateLimitOptions> = {}) {
  const clock = { now: 1_000_000 };
  const settings = checkOptions({
    keys: [{ key: "a1", caller: "a" }, { key: "a2", caller: "a" }, { key: "b1", caller: "b" }],
    rateLimit: createRateLimit({ requests: 10, windowMs: MINUTE, clientHeader: "X-Real-IP", ...options }),
  });
  const { handle } = serve(createService(settings, { now: () => clock.now }));
  const send = (key: string, address = "10.0.0.1", init: RequestInit = {}) =>
    handle(
      new Request("http://localhost/v1/pets", {
        ...init,
        headers: { authorization: `Bearer ${key}`, "x-real-ip": address },
      }),
    );
  return { clock, send };
}

test("within the time that a quota tells, there are no more requests than it tells, and then there is one more", () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat(20_000), { maxLength: 80 }), (requests, pauses) => {
      const table = createLimitTable(requests, MINUTE, createLimitMemory());
      let now = 1e9;
      for (const pause of pauses) table.consume("a", now += pause);
      const { remaining, moreIn } = table.quota("a", now);
      const count = (at: number) => {
        let count = 0;
        while (table.consume("a", at).remaining > 0) count++;
        return count;
      };
      // A request that never came leaves the limit whole: then there is no more than all of it.
      if (remaining === requests) return assert.equal(count(now + moreIn), requests);
      assert.equal(count(now), remaining);
      assert.equal(count(now + moreIn - 1), 0);
      assert.equal(count(now + moreIn + 1e-3), 1);
    }),
  ));

test("Retry-After is the time of RateLimit, and right to the second, whatever the limit and the time that has passed", async () => {
  for (const [requests, windowMs] of [[10, MINUTE], [100, MINUTE], [7, 1_000], [1, 3_600_000], [3, 10_000]] as const) {
    const { clock, send } = createLimited({ requests, windowMs });
    for (let i = 0; i < 3 * requests; i++) {
      clock.now += windowMs / requests / 3;
      const { status, headers } = await send("a1");
      const [, t] = /^"caller";r=\d+;t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
      if (status === 429) assert.equal(headers.get("retry-after"), t);
    }
    let refused: Response;
    while ((refused = await send("a1")).status !== 429);
    clock.now += 1000 * Number(refused.headers.get("retry-after")) - 1000;
    assert.match(await (await send("a1")).text(), /"Too many requests; try again in 1 second"/);
    clock.now += 1000;
    assert.equal((await send("a1")).status, 200);
  }
});

/** Requests whose keys are checked in the order that the scheduler chooses. "right" is a right key of a caller of its own. */
const BURST = fc.record({
  scheduler: fc.scheduler(),
  requests: fc.integer({ min: 1, max: 4 }),
  keys: fc.array(fc.constantFrom("right", "wrong", "throws"), { maxLength: 24 }),
  client: fc.constantFrom("10.0.0.1", "2001:db8::1"),
});

test("of keys that are checked at the same time, as many wrong ones as the limit get 401, and no right one is refused", () =>
  fc.assert(
    fc.asyncProperty(BURST, async ({ scheduler, requests, keys, client }) => {
      let next = 0;
      const check = async (): Promise<Caller | Problem> => {
        const i = next++;
        await scheduler.schedule(Promise.resolve(), `check ${i}`);
        if (keys[i] === "throws") throw new Error("no keys");
        return keys[i] === "right" ? { id: String(i) } : INVALID_KEY;
      };
      const authenticate = limitRate({ requests, windowMs: MINUTE }, check, undefined, () => 0);
      const all = Promise.allSettled(keys.map(() => authenticate({ ...createContext({}), client })));
      // Without an end, a request would wait for ever.
      await scheduler.waitFor(all);
      const accepted = (await all).filter((each) => each.status === "fulfilled" && !(each.value instanceof Problem));
      const refused = (await all).filter((each) => each.status === "fulfilled" && each.value === INVALID_KEY);
      const count = (kind: typeof keys[number]) => keys.filter((key) => key === kind).length;
      assert.equal(refused.length, Math.min(requests, count("wrong")));
      if (count("wrong") < requests) assert.equal(accepted.length, count("right"));
    }),
    { numRuns: 1_000 },
  ));

test("checks that never end count as wrong keys, and do not close an address for ever", () =>
  withVirtualClock(async (clock) => {
    const hung = Promise.withResolvers<Caller | Problem>();
    let checks = 0;
    const check = () => ++checks <= 3 ? hung.promise : Promise.resolve({ id: "a" });
    let now = 0;
    const authenticate = limitRate({ requests: 3, windowMs: MINUTE }, check, undefined, () => now);
    const send = async () => await authenticate({ ...createContext({}), client: "10.0.0.1" });
    const first = [send(), send(), send()], fourth = send();
    assert.equal((await fourth as Problem).status, 429);
    now = MINUTE / 3;
    assert.deepEqual(await send(), { id: "a" });
    // Their late verdicts change nothing.
    hung.resolve(INVALID_KEY);
    assert.deepEqual(await Promise.all(first), [INVALID_KEY, INVALID_KEY, INVALID_KEY]);
    assert.deepEqual([await send(), clock.pending()], [{ id: "a" }, 0]);
  }));

test("an IPv6 address counts by its first 64 bits and by its first 48, in any notation, and a mapped one as IPv4", () => {
  const networks: [address: string, ...networks: string[]][] = [
    ["10.0.0.1", "10.0.0.1"],
    ["203.0.113.9:1024", "203.0.113.9"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["::ffff:102:304", "1.2.3.4"],
    ["0:0:0:0:0:FFFF:c0a8:00fe", "192.168.0.254"],
    ["[::ffff:10.0.0.1]:443", "10.0.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2", "2001:db8:1"],
    ["2001:DB8:0001:2::", "2001:db8:1:2", "2001:db8:1"],
    ["2001:db8::1", "2001:db8:0:0", "2001:db8:0"],
    ["[2001:db8::1]", "2001:db8:0:0", "2001:db8:0"],
    ["[2001:db8::1]:443", "2001:db8:0:0", "2001:db8:0"],
    ["2001:db8:0:0:ffff::1", "2001:db8:0:0", "2001:db8:0"],
    ["2001:db8::ffff:10.0.0.1", "2001:db8:0:0", "2001:db8:0"],
    ["::1", "0:0:0:0", "0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0", "fe80:0:0"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0", "64:ff9b:0"],
    ["unknown", "unknown"],
    ["1::2::3", "1::2::3"],
    ["10.0.0.1/[::1]", "10.0.0.1/[::1]"],
  ];
  for (const [address, ...expected] of networks) assert.deepEqual(networksOf(address), expected, address);
  // Linear work, whatever a client sends.
  for (const piece of ["1.", ":", "::", "[", "]:1", "1:", "%"]) networksOf(piece.repeat(100_000));
});

test("an empty header is no way around the limit of the connection's address", () => {
  const options = { requests: 1, windowMs: MINUTE, clientHeader: "x-real-ip" };
  const authenticate = limitRate(options, () => INVALID_KEY, undefined, () => 0);
  const isRefused = (client: string) => authenticate({ ...createContext({}), client }) !== INVALID_KEY;
  assert.deepEqual(["10.0.0.1", "10.0.0.2", "10.0.0.1"].map(isRefused), [false, false, true]);
});

test("thousands of other addresses neither reset a count nor use up another's", () => {
  const table = createLimitTable(10, MINUTE, createLimitMemory());
  for (let i = 0; i < 10; i++) table.consume("attacker", 0);
  for (let i = 0; i < 1_000; i++) for (let k = 0; k < 20; k++) table.consume(`2001:db8:0:${i}`, 0, true);
  assert.equal(table.quota("attacker", 0).remaining, 0);
  const names = Array.from({ length: 1_000 }, (_, i) => `10.1.${i >> 8}.${i & 255}`);
  const closed = names.filter((name) => table.quota(name, 0).remaining === 0);
  // For each name, the probability is 1 in 10,000.
  assert.ok(closed.length <= 5, closed.join());
});

test("a clock that is set back opens the limit again instead of closing it for long", () => {
  const table = createLimitTable(10, MINUTE, createLimitMemory());
  const later = 1e12;
  for (let i = 0; i < 10; i++) table.consume("a", later);
  assert.equal(table.quota("a", later).remaining, 0);
  assert.ok(table.quota("a", later - 3_600_000).remaining > 0);
});

test("a name that has guessed without end is closed for nine windows, and no longer", () => {
  const table = createLimitTable(10, MINUTE, createLimitMemory());
  for (let i = 0; i < 1_000; i++) table.consume("a", 0, true);
  const left = [0, 9 * MINUTE + 5_999, 9 * MINUTE + 6_000].map((now) => table.quota("a", now).remaining);
  assert.deepEqual(left, [0, 0, 1]);
});
