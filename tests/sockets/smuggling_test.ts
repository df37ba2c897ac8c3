/**
 * Requests whose end two readers could see in different places. Behind a proxy, one reader's body
 * is another's request, which nothing has checked. So each must be refused or be exactly one
 * request.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chunk, CHUNKED, get, HEADERS, KEY, lengthOf, PET, post } from "../support/http/requests.ts";
import { type Endpoint, RawSocket } from "../support/http/raw_socket.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { countPets, withFreshServer } from "../support/server/server_process.ts";

const LENGTH = lengthOf(PET);

const HIDDEN = get("/v1/pets/666");
const CHUNKS = `${chunk(PET)}0\r\n\r\n`;

/** Ambiguous: answered with 400 or 501, or with the end of the connection. */
const REFUSED: Record<string, string> = {
  "a length, then chunks": post(CHUNKS + HIDDEN, LENGTH + CHUNKED),
  "two lengths": post(PET + HIDDEN, `${LENGTH}Content-Length: ${PET.length + HIDDEN.length}\r\n`),
  "a length beyond 64 bits": post(PET + HIDDEN, "Content-Length: 18446744073709551617\r\n"),
  "a space before the colon of the length": post(PET + HIDDEN, `Content-Length : ${PET.length}\r\n`),
  "an encoding after chunked": post(CHUNKS + HIDDEN, "Transfer-Encoding: chunked, identity\r\n"),
  "chunks in HTTP/1.0": post(CHUNKS + HIDDEN, CHUNKED).replace("1.1", "1.0"),
  "a folded header": post(PET + HIDDEN, `X: a\r\n ${CHUNKED}${LENGTH}`),
  "a bare LF before another framing": post(PET + HIDDEN, `X: a\n${CHUNKED}${LENGTH}`),
  "a line end in a chunk's extension": post(`1d;a\n${PET}\r\n0\r\n\r\n${HIDDEN}`, CHUNKED),
  "a chunk that is longer than its size": post(`1c\r\n${PET}\r\n0\r\n\r\n${HIDDEN}`, CHUNKED),
  "a body that ends before its length": post(PET, `Content-Length: ${PET.length + 1}\r\n`),
};

/** The status of what is not as it should be, but cannot be read in two ways. Node refuses it. */
const READ = ON_NODE ? 400 : 201;

/** Whole and unambiguous, most with a request as their body: one response each. */
const ONE: Record<string, [request: string, status: number]> = {
  "a coding within chunks": [post(CHUNKS, "Transfer-Encoding: gzip, chunked\r\n"), 501],
  // Java's client sends it so. RFC 9110 §7.8 lets a server ignore the field; Deno.serve refuses it with a body.
  "a body with Upgrade": [post(PET, `Connection: Upgrade\r\nUpgrade: h2c\r\n${LENGTH}`), ON_NODE ? 201 : 400],
  "extensions of chunks": [post(`1d;a=b;c="d"\r\n${PET}\r\n0;e\r\n\r\n`, CHUNKED), 201],
  "trailers like headers": [
    post(`${chunk(PET)}0\r\nContent-Length: 5\r\nAuthorization: Bearer x\r\n\r\n`, CHUNKED),
    READ,
  ],
  "the body of a GET": [`GET /v1/pets/1 HTTP/1.1\r\n${HEADERS}${lengthOf(HIDDEN)}\r\n${HIDDEN}`, 200],
  "a body without a key": [`POST /v1/pets HTTP/1.1\r\nHost: a\r\n${lengthOf(HIDDEN)}\r\n${HIDDEN}`, 401],
  "a body that is not JSON": [post(HIDDEN), 400],
};

// It is stored after the client has ended its side. Deno.serve then drops some of the responses.
if (ON_NODE) ONE["a create with an Idempotency-Key"] = [post(PET, `Idempotency-Key: 1\r\n${LENGTH}`), 201];

/** All statuses until the connection ends. A surplus response makes the socket throw. */
async function statuses(server: Endpoint, request: string): Promise<number[]> {
  using socket = await RawSocket.open(server);
  await socket.send(request);
  // The server may have closed it already.
  await socket.endSending().catch(() => {});
  const seen: number[] = [];
  for (let response; (response = await socket.readResponse());) seen.push(response.status);
  return seen;
}

/** A platform may set this variable for other programs on Node. It must not make the parser of this server lenient. */
const env = { NODE_OPTIONS: "--insecure-http-parser" };

test("a request whose end is ambiguous is refused or is one request, and what it hides is never answered", () =>
  withFreshServer({ args: ["--key", KEY, "--store=memory:"], env }, async (server) => {
    await server.ask("/v1/pets", KEY, { method: "POST", headers: { "content-type": "application/json" }, body: PET });
    for (const [what, request] of Object.entries(REFUSED)) {
      const seen = await statuses(server, request);
      assert.ok(seen.length === 0 || (seen.length === 1 && [400, 501].includes(seen[0]!)), `${what}: ${seen}`);
    }
    assert.equal(await countPets(server, KEY), 1);
    for (const [what, [request, status]] of Object.entries(ONE)) {
      assert.deepEqual(await statuses(server, request), [status], what);
    }
    assert.equal(await countPets(server, KEY), 1 + Object.values(ONE).filter(([, status]) => status === 201).length);
    assert.equal(await server.stop(), 0);
    assert.ok(!server.written.stdout.includes("/v1/pets/666"), "what was hidden reached the petstore");
    assert.equal(server.written.stderr, "");
  }));
