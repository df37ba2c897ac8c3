/** Requests that only a faulty or hostile client sends, to programs of an app with a petstore. Deno only. */

import assert from "node:assert/strict";
import { chunk, CHUNKED, HOST, lengthOf, PET } from "../../support/http/requests.ts";

function request(line: string, headers: string, body = ""): string {
  return `${line} HTTP/1.1\r\n${headers}\r\n${body}`;
}

const LIST = "GET /v1/pets", CREATE = "POST /v1/pets";

/** Requests that a server refuses in one of several ways, or answers: none is a failure of the program. */
function hostileRequests(auth: string): string[] {
  const headers = HOST + auth;
  return [
    ...["[", "a/b?", "", "a:99999", "é"].map((host) => request(LIST, `Host: ${host}\r\n${auth}`)),
    ...["*", "//", "http://", "/v1/pets\0", "/%zz", "/v1/\\"].map((target) => request(`GET ${target}`, headers)),
    request(LIST, auth),
    request(LIST, `${headers}X: ${"x".repeat(100_000)}\r\n`),
    request(LIST, `${headers}Connection: Upgrade\r\nUpgrade: x\r\n`),
    request("CONNECT pets.example:80", headers),
    request(CREATE, `${headers}${lengthOf(PET)}Content-Length: 9\r\n`, PET),
    request(CREATE, headers + CHUNKED, "zz\r\n"),
    request(CREATE, headers + CHUNKED, `${chunk(PET)}0\r\nX: y\r\n\r\n`),
  ];
}

/** The statuses of all responses on a connection whose client sends these bytes and then no more. */
async function statusesOf(port: number, bytes: string): Promise<number[]> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const guard = setTimeout(() => connection.close(), 20_000);
  // The server may answer, and close the connection, before it has read everything.
  void connection.write(new TextEncoder().encode(bytes)).then(() => connection.closeWrite()).catch(() => {});
  let received = "";
  try {
    for await (const piece of connection.readable) received += new TextDecoder().decode(piece);
  } catch (error) {
    // Bytes that the server has not read turn its end of the connection into a reset.
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  } finally {
    clearTimeout(guard);
  }
  return Array.from(received.matchAll(/HTTP\/1\.[01] (\d{3})/g), ([, status]) => Number(status));
}

/** Attacks a program, which must answer the next request. */
export async function surviveHostileRequests(port: number, key: string): Promise<void> {
  for (const bytes of hostileRequests(`Authorization: Bearer ${key}\r\n`)) {
    for (const status of await statusesOf(port, bytes)) {
      assert.ok(status < 500 || status === 501 || status === 505, `${status}: ${JSON.stringify(bytes.slice(0, 200))}`);
    }
  }
  const [status] = await statusesOf(port, request(LIST, HOST));
  assert.ok(status !== undefined && status < 500, `${status} after the attack`);
}
