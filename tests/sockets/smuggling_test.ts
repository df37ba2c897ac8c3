/**
 * Requests whose end two readers could see in different places. Behind a proxy, one reader's body is another's request,
 * which nothing has checked. So each must be refused or be exactly one request.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chunk, CHUNKED, get, head, HEADERS, KEY } from "../support/http/raw_petstore.ts";
import { type Endpoint, RawSocket } from "../support/http/raw_socket.ts";
import { countPets, PET, withFreshServer } from "../support/server/server_process.ts";

const LENGTH = `Content-Length: ${PET.length}\r\n`;

const HIDDEN = get("/v1/pets/666");
const CHUNKS = `${chunk(PET)}0\r\n\r\n`;

function post(headers: string, rest: string): string {
  return head("POST", "/v1/pets", `Content-Type: application/json\r\n${headers}`) + rest;
}

/** Ambiguous: answered with 400, or with the end of the connection. */
const REFUSED: [what: string, request: string][] = [
  ["a length, then chunks", post(LENGTH + CHUNKED, CHUNKS + HIDDEN)],
  ["chunks, then a length", post(CHUNKED + LENGTH, CHUNKS + HIDDEN)],
  [
    "a length over what follows chunks",
    post(`Content-Length: ${5 + HIDDEN.length}\r\n${CHUNKED}`, `0\r\n\r\n${HIDDEN}`),
  ],
  ["no length at all by its header, and chunks", post(`Content-Length: 0\r\n${CHUNKED}`, CHUNKS + HIDDEN)],
  ["two lengths", post(`${LENGTH}Content-Length: ${PET.length + HIDDEN.length}\r\n`, PET + HIDDEN)],
  ["a list of lengths", post(`Content-Length: ${PET.length}, ${PET.length + HIDDEN.length}\r\n`, PET + HIDDEN)],
  ...["+29", "-1", "0x1d", "29 29", "2_9", "٢٩", "", "18446744073709551617", "29;", "29.0"].map((
    length,
  ): [string, string] => [`the length ${JSON.stringify(length)}`, post(`Content-Length: ${length}\r\n`, PET + HIDDEN)]),
  ["a space before the colon of the length", post(`Content-Length : ${PET.length}\r\n`, PET + HIDDEN)],
  ["a space before the colon of the encoding", post(`Transfer-Encoding : chunked\r\n${LENGTH}`, PET + HIDDEN)],
  ...["identity", "xchunked", "chunked, identity", "chunk", "\vchunked", "chunked\v", '"chunked"', "chunked;q=1"].map((
    encoding,
  ): [string, string] => [
    `the encoding ${JSON.stringify(encoding)}`,
    post(`Transfer-Encoding: ${encoding}\r\n`, CHUNKS + HIDDEN),
  ]),
  ["an encoding twice", post(CHUNKED + CHUNKED, CHUNKS + HIDDEN)],
  ["two encodings in two headers", post(`${CHUNKED}Transfer-Encoding: identity\r\n`, CHUNKS + HIDDEN)],
  ["chunks in HTTP/1.0", post(CHUNKED, CHUNKS + HIDDEN).replace("1.1", "1.0")],
  ["a folded header", post(`X: a\r\n ${CHUNKED}${LENGTH}`, PET + HIDDEN)],
  ["an encoding on a folded line", post("Transfer-Encoding:\r\n chunked\r\n", CHUNKS + HIDDEN)],
  ["a bare CR in a header", post(`X: a\rContent-Length: 5\r\n${LENGTH}`, PET + HIDDEN)],
  ["a bare LF before another framing", post(`X: a\n${CHUNKED}${LENGTH}`, PET + HIDDEN)],
  ["a NUL in a header", post(`X: a\0${CHUNKED}${LENGTH}`, PET + HIDDEN)],
  ["a line end in a chunk's extension", post(CHUNKED, `1d;a\n${PET}\r\n0\r\n\r\n${HIDDEN}`)],
  ["a bare CR after a chunk's size", post(CHUNKED, `1d\r${PET}\r\n0\r\n\r\n${HIDDEN}`)],
  ["bare line ends between chunks", post(CHUNKED, `1d\n${PET}\n0\n\n${HIDDEN}`)],
  ["no line end after a chunk", post(CHUNKED, `1d\r\n${PET}XX0\r\n\r\n${HIDDEN}`)],
  ["a chunk that is longer than its size", post(CHUNKED, `1c\r\n${PET}\r\n0\r\n\r\n${HIDDEN}`)],
  ...["0x1d", "+1d", "-1", "", "1000000000000001d", "1d 1d", "1d,1d"].map((size): [string, string] => [
    `the chunk size ${JSON.stringify(size)}`,
    post(CHUNKED, `${size}\r\n${PET}\r\n0\r\n\r\n${HIDDEN}`),
  ]),
  ["a body that ends before its length", post(`Content-Length: ${PET.length + 1}\r\n`, PET)],
  ["chunks without the last", post(CHUNKED, chunk(PET))],
  ["a tab in the request line", `GET\t/v1/pets/666\tHTTP/1.1\r\n${HEADERS}\r\n`],
  ["a CR in the request line", `GET /v1/pets/666\rX HTTP/1.1\r\n${HEADERS}\r\n`],
  ["a request line without a version", `GET /v1/pets/666\r\n${HEADERS}\r\n`],
];

/** Whole and unambiguous, most with a request as their body: one response each. */
const ONE: [what: string, request: string, status: number][] = [
  ["the same length twice", post(LENGTH + LENGTH, PET), 201],
  ["a tab before the encoding", post("Transfer-Encoding:\tchunked\r\n", CHUNKS), 201],
  // RFC 9112 §7.1 has no space there, but it cannot be read in two ways.
  ["a space before a chunk's size", post(CHUNKED, ` 1d\r\n${PET}\r\n0\r\n\r\n`), 201],
  ["extensions of chunks", post(CHUNKED, `1d;a=b;c="d"\r\n${PET}\r\n0;e\r\n\r\n`), 201],
  [
    "trailers like headers",
    post(CHUNKED, `${chunk(PET)}0\r\nContent-Length: 5\r\nAuthorization: Bearer x\r\n\r\n`),
    201,
  ],
  ["the body of a GET", `GET /v1/pets/1 HTTP/1.1\r\n${HEADERS}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`, 200],
  [
    "a body without a key",
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    401,
  ],
  ["a body for no path", `POST /v1/x HTTP/1.1\r\n${HEADERS}${CHUNKED}\r\n${chunk(HIDDEN)}0\r\n\r\n`, 404],
  [
    "a body of another type",
    `POST /v1/pets HTTP/1.1\r\n${HEADERS}Content-Type: text/plain\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    415,
  ],
  ["a body that is not JSON", post(`Content-Length: ${HIDDEN.length}\r\n`, HIDDEN), 400],
];

/** All statuses until the connection ends. A surplus response makes the socket throw. */
async function statuses(server: Endpoint, request: string, isEnded = true): Promise<number[]> {
  using socket = await RawSocket.open(server);
  await socket.send(request);
  // The server may have closed it already.
  if (isEnded) await socket.endSending().catch(() => {});
  const seen: number[] = [];
  for (let response; (response = await socket.readResponse());) seen.push(response.status);
  return seen;
}

test("a request whose end is ambiguous is refused or is one request, and what it hides is never answered", () =>
  withFreshServer({ args: ["--key", KEY, "--store=memory:"] }, async (server) => {
    await server.ask("/v1/pets", KEY, { method: "POST", headers: { "content-type": "application/json" }, body: PET });
    for (const [what, request] of REFUSED) {
      const seen = await statuses(server, request);
      assert.ok(seen.length === 0 || (seen.length === 1 && seen[0] === 400), `${what}: ${seen}`);
    }
    assert.equal(await countPets(server, KEY), 1);
    for (const [what, request, status] of ONE) assert.deepEqual(await statuses(server, request), [status], what);
    assert.equal(await countPets(server, KEY), 1 + ONE.filter(([, , status]) => status === 201).length);
    assert.equal(await server.stop(), 0);
    assert.ok(!server.written.stdout.includes("/v1/pets/666"), "what was hidden reached the petstore");
    assert.equal(server.written.stderr, "");
  }));

test("the test above would notice a response to a hidden request", () =>
  withFreshServer({ args: ["--key", KEY, "--store=memory:"] }, async (server) => {
    // Not ended: a server may close after its first response to a client that sends no more.
    await assert.rejects(statuses(server, post(LENGTH, PET) + HIDDEN, false), /no request was sent for: 404/);
    assert.equal(await server.stop(), 0);
    assert.ok(server.written.stdout.includes("/v1/pets/666 404"));
  }));
