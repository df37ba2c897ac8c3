/** The texts of pets that a store keeps: none is out of date, or of another pet. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TextCache } from "../../../lib/stores/sqlite/text_cache.ts";

/**
 * Ids that share a slot, and others, up to those that have no exact number. Another program may
 * have added a pet with the id 0.
 */
const ID = fc.constantFrom(1n, 2n, 131_073n, 262_145n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 0n);

test("whatever is asked for in which order, a kept text is that of its pet and of its time", () =>
  fc.assert(
    fc.property(fc.array(fc.oneof(ID, fc.constant("alteration")), { maxLength: 60 }), (steps) => {
      const cache = new TextCache();
      let alterations = 0;
      for (const step of steps) {
        if (typeof step === "string") {
          alterations++;
          continue;
        }
        const text = `${step} ${alterations}`;
        for (let read = 0; read < 3; read++) {
          const kept = cache.find(step, alterations);
          if (kept === undefined) cache.offer(step, text, alterations);
          else assert.equal(kept, text);
        }
        if (step < 2n ** 53n) assert.equal(cache.find(step, alterations), text, "what is often missed is kept");
      }
    }),
  ));
