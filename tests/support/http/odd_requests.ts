/** Requests that only a faulty or hostile client sends, to programs of an app with a petstore. Deno only. */

import assert from "node:assert/strict";
import { chunk, CHUNKED, lengthOf, PET } from "./requests.ts";

const HOST = "Host: pets.example\r\n";
const UPGRADE = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n";
const CHUNKS = `${chunk(PET)}0\r\n`;

/** How hosts answer such a request, for docs/hosts.md: the statuses of all responses, and then how it ends. */
interface OddRequest {
  /** What is odd, for the page. */
  what: string;
  /** @param auth A header line with a key. */
  request(auth: string): string;
  /** The statuses that most hosts send. */
  usual: string;
}

/** A name for each. */
export type OddName = keyof typeof ODD_REQUESTS;

/** Where a host differs from {@link OddRequest.usual}. */
export type OddResponses = Partial<Record<OddName, string>>;

function request(line: string, headers: string, body = ""): string {
  return `${line} HTTP/1.1\r\n${headers}\r\n${body}`;
}

const LIST = "GET /v1/pets", CREATE = "POST /v1/pets";
/** What follows the others, if they are answered as one request. */
const HIDDEN = (auth: string) => request("GET /v1/pets/666", HOST + auth);

function row(what: string, usual: string, request: OddRequest["request"]): OddRequest {
  return { what, usual, request };
}

export const ODD_REQUESTS = {
  dots: row("`GET /v1/x/../pets`", "404", (auth) => request("GET /v1/x/../pets", HOST + auth)),
  noHost: row("No `Host` in HTTP/1.1", "400", (auth) => request(LIST, auth)),
  twoHosts: row("Two `Host` fields", "200", (auth) => request(LIST, HOST + "Host: other.example\r\n" + auth)),
  badHost: row("`Host: a b`", "200", (auth) => request(LIST, "Host: a b\r\n" + auth)),
  fields: row("200 header fields", "200", (auth) => request(LIST, HOST + auth + "a: b\r\n".repeat(200))),
  framing: row(
    "`Content-Length` with `Transfer-Encoding`",
    "400",
    (auth) => request(CREATE, `${HOST}${auth}Content-Length: 5\r\n${CHUNKED}`, `${CHUNKS}\r\n${HIDDEN(auth)}`),
  ),
  trailers: row("A trailer field", "201", (auth) => request(CREATE, HOST + auth + CHUNKED, `${CHUNKS}X: y\r\n\r\n`)),
  hidden: row(
    "A request in the place of trailers",
    "400",
    (auth) => request(CREATE, HOST + auth + CHUNKED, CHUNKS + HIDDEN(auth)),
  ),
  upgrade: row(
    "`Upgrade: h2c` with a body",
    "201, closed",
    (auth) => request(CREATE, HOST + auth + UPGRADE + lengthOf(PET), PET),
  ),
  behind: row(
    "`Upgrade: x`, and a request in the same packet",
    "200, closed",
    (auth) => request(LIST, `${HOST}${auth}Connection: Upgrade\r\nUpgrade: x\r\n`) + HIDDEN(auth),
  ),
  expect: row(
    "`Expect: 100-continue` without a key",
    "100, 401",
    () => request(CREATE, `${HOST}Expect: 100-continue\r\n${lengthOf(PET)}`, PET),
  ),
} satisfies Record<string, OddRequest>;

/** Of workerd, whose tests are apart from those of the other hosts. */
export const WORKERD_ODD: OddResponses = {
  dots: "200",
  twoHosts: "500",
  badHost: "500",
  framing: "201, 404",
  trailers: "201, 501",
  hidden: "201, 404",
  upgrade: "201",
  behind: "200, 404",
  expect: "401",
};

const HOSTILE_HOSTS = ["[", "a/b?", "a#", "@", "", "a:99999", "é"];
const HOSTILE_TARGETS = [
  "/v1/pets\0",
  "*",
  "//",
  "http://",
  "http://a:99999/v1/pets",
  "http://a b/",
  "/%zz",
  "/v1/\\",
  "/x/%2e%2e/readyz",
];

/** Refused in one of several ways: none is a failure of the program. */
const HOSTILE = (auth: string) => [
  ...HOSTILE_HOSTS.map((host) => request(LIST, `Host: ${host}\r\n${auth}`)),
  ...HOSTILE_TARGETS.map((target) => request(`GET ${target}`, HOST + auth)),
  request(LIST, `${HOST}${auth}X: a\0b\r\n`),
  request(LIST, `${HOST}${auth}X: ${"x".repeat(100_000)}\r\n`),
  request("CONNECT pets.example:80", HOST + auth),
  request(CREATE, `${HOST}${auth}${lengthOf(PET)}Content-Length: 9\r\n`, PET),
  request(CREATE, HOST + auth + CHUNKED, "zz\r\n"),
  "\x16\x03\x01\x02\0\x01\0\r\n\r\n",
];

/** The last request of a connection, so that each connection ends by itself. */
const LAST = request("GET /hello", `${HOST}Connection: close\r\n`);

/** The statuses of all responses on a connection, the last of which is to {@link LAST} unless either side has closed it before. */
async function statusesOf(port: number, bytes: string, isEnded = false): Promise<number[]> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const guard = setTimeout(() => connection.close(), 20_000);
  const send = (text: string) => connection.write(new TextEncoder().encode(text)).catch(() => 0);
  const statuses: number[] = [];
  const buffer = new Uint8Array(65_536);
  let received = "", isLast = isEnded;
  try {
    void send(bytes).then(() => isEnded ? connection.closeWrite() : undefined).catch(() => {});
    for (let count; (count = await connection.read(buffer)) !== null;) {
      received += new TextDecoder().decode(buffer.subarray(0, count));
      statuses.splice(
        0,
        Infinity,
        ...Array.from(received.matchAll(/HTTP\/1\.[01] (\d{3})/g), ([, status]) => Number(status)),
      );
      // Some keep the connection for seconds after their last response.
      if (received.includes("Hello from the app")) break;
      if (!isLast && statuses.some((status) => status >= 200)) {
        isLast = true;
        // In a packet of its own, and only when the other has been answered.
        void send(LAST);
      }
    }
  } catch (error) {
    // Bytes that the server has not read turn its end of the connection into a reset.
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  } finally {
    clearTimeout(guard);
    try {
      connection.close();
    } catch { /* The guard has closed it. */ }
  }
  return statuses;
}

/**
 * Describes the outcome without the response to {@link LAST}. Where there is none, the connection was closed, as after
 * every 400.
 */
function outcome(statuses: number[]): string {
  const isAnswered = statuses.length > 1 && statuses.at(-1) === 200;
  if (isAnswered) return statuses.slice(0, -1).join(", ");
  return statuses.join(", ") + (statuses.length > 0 && statuses.at(-1)! < 400 ? ", closed" : "");
}

/** Checks that a program answers the requests of the table as it says. */
export async function checkOddResponses(origin: string, auth: string, differences: OddResponses = {}): Promise<void> {
  const seen: OddResponses = {}, expected: OddResponses = {};
  for (const [name, { request, usual }] of Object.entries(ODD_REQUESTS) as [OddName, OddRequest][]) {
    seen[name] = outcome(await statusesOf(portOf(origin), request(auth)));
    expected[name] = differences[name] ?? usual;
  }
  assert.deepEqual(seen, expected);
}

/** Attacks a program, and checks that nothing has failed in it, and that it answers the next request. */
export async function surviveHostileRequests(
  { origin, written }: { origin: string; written: { stderr: string } },
  auth: string,
): Promise<void> {
  for (const bytes of HOSTILE(auth)) {
    for (const status of await statusesOf(portOf(origin), bytes, true)) {
      assert.ok(status < 500 || status === 501 || status === 505, `${status}: ${JSON.stringify(bytes.slice(0, 200))}`);
    }
  }
  const [status] = await statusesOf(portOf(origin), request("GET /v1/pets", HOST));
  assert.ok(status !== undefined && status < 500, `${status} after the attack`);
  // A trace of the stack: a client could fill a log with it, or hang a program whose standard error is not read.
  assert.doesNotMatch(written.stderr, /^ +at /m);
}

function portOf(origin: string): number {
  return Number(new URL(origin).port);
}
