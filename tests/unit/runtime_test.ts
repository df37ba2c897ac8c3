/** A runtime without the functions of ES2024 is told when the library is imported, not by a 500 to the first request. */

import assert from "node:assert/strict";
import test from "node:test";
import { whileReplaced } from "../support/while_replaced.ts";

/** Evaluates the entry of the library again: the query makes another module of the same file. */
function importAs(name: string): Promise<unknown> {
  return import(new URL(`../../lib/petstore/petstore.ts?${name}`, import.meta.url).href);
}

test("the import of the library fails on a runtime that lacks a function of ES2024, and names it", async () => {
  await whileReplaced(
    Promise,
    { withResolvers: undefined as never },
    () =>
      assert.rejects(importAs("without-resolvers"), {
        message: "This runtime is too old for @petstore/petstore: it lacks Promise.withResolvers(). " +
          "Use Node.js 22.13, Deno 2.0, Bun 1.2 or later",
      }),
  );
  await whileReplaced(
    ArrayBuffer.prototype,
    { transfer: undefined as never },
    () => assert.rejects(importAs("without-transfer"), /it lacks ArrayBuffer\.prototype\.transfer\(\)\./),
  );
  await importAs("complete");
});
