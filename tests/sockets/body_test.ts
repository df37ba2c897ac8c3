/** Bodies of faulty or hostile clients, to a petstore on `Deno.serve`: too large, or never whole. Wrong framing: smuggling_test.ts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertError, testResponses, withPetstore } from "../support/http/raw_petstore.ts";
import { chunk, CHUNKED, get, MIB, post } from "../support/http/requests.ts";
import { RawSocket } from "../support/http/raw_socket.ts";

testResponses([
  ["30,000 brackets, opened and closed", post("[".repeat(30_000) + "]".repeat(30_000)), 400, "invalid_pet"],
  ["a body that stalls", post('{"name":"Rex"', "Content-Length: 29\r\n"), 408, "request_timeout"],
  ["3 MiB that were declared and not sent", post("", `Content-Length: ${3 * MIB}\r\n`), 413, "body_too_large"],
  ["chunks beyond the limit, never ended", post(chunk("x".repeat(MIB + 1)), CHUNKED), 413, "body_too_large"],
]);

for (
  const [what, headers, body] of [
    ["a length", `Content-Length: ${2 * MIB}\r\n`, "x".repeat(2 * MIB)],
    ["chunks", CHUNKED, `${chunk("x".repeat(2 * MIB))}0\r\n\r\n`],
  ] as const
) {
  test(`a body that is too large, with ${what}, is never taken for the next request`, () =>
    withPetstore(0, async (petstore) => {
      using socket = await RawSocket.open(petstore);
      const sent = socket.send(post(body, headers), get("/v1/pets"));
      assertError(await socket.readResponse(), 413, "body_too_large");
      // The connection either continues after the body or ends. It neither hangs nor answers anything else.
      const next = await socket.readResponse();
      if (next !== undefined) assert.deepEqual([next.status, next.text], [200, "[]"]);
      await sent;
    }));
}
