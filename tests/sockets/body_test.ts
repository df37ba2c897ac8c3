/** Bodies of faulty or hostile clients, to a petstore on `Deno.serve`: wrong framing, too large, cut short. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertError, testResponses, withPetstore } from "../support/http/raw_petstore.ts";
import { chunk, CHUNKED, get, MIB, PET, post } from "../support/http/requests.ts";
import { RawSocket } from "../support/http/raw_socket.ts";

testResponses([
  ["100,000 brackets, opened and closed", post("[".repeat(100_000) + "]".repeat(100_000)), 400, "invalid_pet"],
  ["a body that stalls", post('{"name":"Rex"', "Content-Length: 29\r\n"), 408, "request_timeout"],
  ["chunks that stall", post('d\r\n{"name', CHUNKED), 408, "request_timeout"],
  ["3 MiB that were declared and not sent", post("", `Content-Length: ${3 * MIB}\r\n`), 413, "body_too_large"],
  ["3 MiB in chunks", post(`${chunk("x".repeat(MIB)).repeat(3)}0\r\n\r\n`, CHUNKED), 413, "body_too_large"],
  ["chunks beyond the limit, never ended", post(chunk("x".repeat(MIB + 1)), CHUNKED), 413, "body_too_large"],
]);

test("a body that ends before its declared length leaves no pet behind", () =>
  withPetstore(0, async (petstore) => {
    using socket = await RawSocket.open(petstore);
    await socket.send(post(PET, "Content-Length: 100\r\n"));
    await socket.endSending();
    assertError(await socket.readResponse(), 400, "invalid_json");
    await socket.readEnd();
  }));

for (const what of ["zz\r\n", "ffffffffffffffffff\r\n", "5\r\n{}"]) {
  test(`chunks that are broken, ${JSON.stringify(what)}, end the connection and leave no pet behind`, () =>
    withPetstore(0, async (petstore) => {
      using socket = await RawSocket.open(petstore);
      await socket.send(post(what, CHUNKED));
      await socket.endSending();
      // Deno.serve may close without a response. Any response must blame the client.
      const response = await socket.readResponse();
      assert.ok(response === undefined || (response.status >= 400 && response.status < 500), `${response?.status}`);
      await socket.readEnd();
    }));
}

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
