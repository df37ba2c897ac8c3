/**
 * A runtime without the functions of ES2024 is told when the library is imported, not by a 500 to
 * the first request.
 */

import assert from "node:assert/strict";
import test from "node:test";
import { whileReplaced } from "../support/while_replaced.ts";

test("the import of the library fails on a runtime that lacks a function of ES2024, and names it", async () => {
  // The query makes another module of the same file.
  const entry = new URL("../../lib/petstore/petstore.ts?again", import.meta.url).href;
  const message = "This runtime is too old for @petstore/petstore: it lacks Promise.withResolvers(). " +
    "Use Node.js 22.13, Deno 2.0, Bun 1.2 or later";
  await whileReplaced(
    Promise,
    { withResolvers: undefined as never },
    () => assert.rejects(import(entry), { message }),
  );
});
