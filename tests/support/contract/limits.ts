/** Limits on requests, by the option `rateLimit`. */

import { createRateLimit, type PetstoreOptions } from "../../../mod.ts";
import type { Api, ApiResponse } from "../../../lib/testing/http/api.ts";
import assert from "node:assert/strict";
import { addition, assertResponse, cases, type HttpCase } from "../../../lib/testing/http/case.ts";

const CALLER = addition("auth", "A caller may send as many requests as its limit allows; 429 says when to try again");
const ADDRESS = addition("auth", "An address without a valid key has a limit, whatever form it is told in");

/** A day, so that nothing refills during a case. */
const WINDOW = { windowMs: 86_399_500, clientHeader: "x-real-ip" };

/** Addresses that count as one. */
const SAME: readonly string[][] = [
  ["203.0.113.9", "203.0.113.9:1024", "[::ffff:cb00:7109]:443", "10.9.9.9, 203.0.113.9", "10.9.9.9,203.0.113.9 "],
  ["2001:db8:1:2::3", "2001:DB8:0001:0002:9::", "[2001:db8:1:2:3:4:5:6]:443"],
  ["", "10.0.0.7,", " "],
  ["no: address", "no: address"],
];

const OTHERS = ["203.0.113.8", "2001:db8:1:3::3", "2001:db8:2:2::3", "other"];

const OPTIONS: Partial<PetstoreOptions> = {
  keys: [{ key: "a1", caller: "a" }, { key: "a2", caller: "a" }, "b"],
  rateLimit: createRateLimit({ requests: 6, ...WINDOW }),
};

function sendFrom(api: Api, address: string, key = "wrong"): Promise<ApiResponse> {
  return api.get("/pets", { key, headers: { "x-real-ip": address } });
}

/** @param step How many seconds pass until there is one more request. */
function assertLeft({ headers }: ApiResponse, policy: string, left: number, step: number): string {
  const field = headers.get("ratelimit") ?? "";
  const [name] = policy.split(";");
  const [before, seconds = ""] = field.split(";t=");
  assert.equal(before, `${name};r=${left}`);
  // A case takes less than a quarter of an hour.
  assert.ok(/^\d+$/.test(seconds) && +seconds <= step && +seconds > step - 900, `RateLimit has another time: ${field}`);
  assert.equal(headers.get("ratelimit-policy"), policy);
  return seconds;
}

function assertRefused(response: ApiResponse, policy: string, step: number): void {
  const seconds = assertLeft(response, policy, 0, step);
  const message = `Too many requests; try again in ${seconds} seconds`;
  assert.deepEqual(response.error, { code: "rate_limited", message, status: 429 });
  assert.equal(response.headers.get("retry-after"), seconds);
}

export const LIMIT_CASES: HttpCase[] = [
  ...cases({ ...CALLER, options: OPTIONS }, {
    async "answers 429 with Retry-After to a caller that has used up its limit with all its keys, and to no other"(
      api,
    ) {
      const policy = '"caller";q=6;w=86400';
      for (let left = 5; left >= 0; left--) {
        const response = await api.get("/pets", { key: left % 2 ? "a1" : "a2" });
        assert.equal(response.status, 200);
        // From half of the limit on.
        if (left < 3) assertLeft(response, policy, left, 14_400);
        else assert.equal(response.headers.get("ratelimit"), null);
      }
      for (const key of ["a1", "a2"]) assertRefused(await api.get("/pets", { key }), policy, 14_400);
      assertRefused(await api.post("{", { key: "a1" }), policy, 14_400);
      assert.equal((await api.get("/pets", { key: "b" })).status, 200);
    },
  }),
  ...cases({ ...ADDRESS, options: OPTIONS }, {
    async "answers 429 to an address that has guessed keys too often, with a valid key too, and to no other"(api) {
      for (const key of ["b", "b", "b"]) assert.equal((await sendFrom(api, "10.0.0.1", key)).status, 200);
      for (let i = 0; i < 6; i++) {
        assertResponse(await sendFrom(api, "10.0.0.1"), { status: 401, code: "invalid_api_key" });
      }
      for (const key of ["wrong", "b"]) {
        assertRefused(await sendFrom(api, "10.0.0.1", key), '"address";q=6;w=86400', 14_400);
      }
      assert.equal((await sendFrom(api, "10.0.0.2", "b")).status, 200);
    },
    async "counts an address as one in each of its forms, and an IPv6 address by its first 64 bits"(api) {
      for (const same of SAME) {
        for (let i = 0; i < 6; i++) {
          assert.equal((await sendFrom(api, same[i % same.length]!)).status, 401, String(same[0]));
        }
        for (const form of same) assert.equal((await sendFrom(api, form)).status, 429, form);
      }
      for (const other of OTHERS) assert.equal((await sendFrom(api, other)).status, 401, other);
    },
    async "answers 429 to an IPv6 network whose addresses have used up sixteen limits"(api) {
      for (let i = 0; i < 96; i++) assert.equal((await sendFrom(api, `2001:db8:1:${i % 48}::1`)).status, 401);
      for (let i = 0; i < 50; i++) {
        assertRefused(await sendFrom(api, `2001:db8:1:${i}::1`, "b"), '"network";q=96;w=86400', 900);
      }
      assert.equal((await sendFrom(api, "2001:db8:2::1")).status, 401);
    },
  }),
];
