/** The texts of pets that a store keeps: none is out of date, or of another pet. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TextCache } from "../../../lib/stores/sqlite/text_cache.ts";

/** Makes the function by which a store gets a text: from the cache, or by `read`, after which the cache may keep it. */
function getter(read: (id: bigint) => string | undefined): (id: bigint, alterations: number) => string | undefined {
  const cache = new TextCache();
  return (id, alterations) => {
    const kept = cache.find(id, alterations);
    if (kept !== undefined) return kept;
    const text = read(id);
    if (text !== undefined) cache.offer(id, text);
    return text;
  };
}

/** Ids that share a slot, and others, up to those that have no exact number. */
const ID = fc.constantFrom(1n, 2n, 131_073n, 262_145n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 0n, -1n);

test("whatever is asked for in which order, a text is that of its pet and of its time, and what is often missed is kept", () =>
  fc.assert(
    fc.property(fc.array(fc.oneof(ID, fc.constant("alteration")), { maxLength: 60 }), (steps) => {
      let alterations = 0, reads = 0;
      // Another program may have added a pet with the id 0.
      const textOf = (id: bigint) => id >= 0n ? `${id} ${alterations}` : undefined;
      const get = getter((id) => (reads++, textOf(id)));
      for (const step of steps) {
        if (typeof step === "string") alterations++;
        else for (let i = 0; i < 3; i++) assert.equal(get(step, alterations), textOf(step));
        const last = steps.at(-1);
        reads = 0;
        if (typeof last === "bigint" && last >= 0n && last < 2n ** 53n && step === last) {
          get(last, alterations);
          assert.equal(reads, 0);
        }
      }
    }),
  ));
