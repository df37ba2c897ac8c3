import assert from "node:assert/strict";
import { test } from "node:test";
import { get, HEADERS, KEY } from "../support/http/requests.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { addPet, withFreshServer } from "../support/server/server_process.ts";

const ORIGIN = "https://app.example";

/** Line ends in clients' spellings, and bytes that a careless reader takes for them. */
const LINE_ENDS = [
  "%0d%0a",
  "%0a",
  "%0d",
  "%00",
  "%e5%98%8a%e5%98%8d",
  "%250d%250a",
  "\\r\\n",
  "\u560d\u560a",
  "\u2028",
  "\u0085",
];

const TARGETS: ((text: string) => string)[] = [
  (text) => `/v1/pets?limit=1${text}`,
  (text) => `/v1/pets?limit=1&status=available${text}`,
  (text) => `/v1/pets?limit=1&cursor=YWZ0ZXI6MQ${text}`,
  (text) => `/v1/pets?limit=1&x=${text}&${text}`,
  (text) => `/v1/pets/1${text}`,
  (text) => `/v1${text}/pets`,
  (text) => `/livez${text}`,
];

test("no response has a header that a client wrote, whatever line end it wrote before it", () =>
  withFreshServer({ args: ["--key", KEY, "--store=memory:", "--cors-origin", ORIGIN] }, async (server) => {
    for (let i = 0; i < 3; i++) await addPet(server, KEY);
    let refused = 0;
    for (const end of LINE_ENDS) {
      const text = `${end}x-evil:${end}1`;
      const requests = TARGETS.map((target) => get(target(text)));
      requests.push(`GET /v1/pets?limit=1 HTTP/1.1\r\n${HEADERS}Origin: ${ORIGIN}${text}\r\n\r\n`);
      requests.push(`GET /v1/pets HTTP/1.1\r\nHost: a${text}\r\n\r\n`);
      for (const request of requests) {
        // The socket checks every header against the description.
        const response = await exchange(server, request);
        for (const [name, value] of response?.headers ?? []) {
          assert.doesNotMatch(`${name}: ${value}`, /evil|[^ -~]/, request);
        }
        assert.ok([200, 400, 401, 404].includes(response?.status ?? 0), `${response?.status}: ${request}`);
        // Node's parser refuses these, and they have no line in the log.
        if (response?.text.includes('"bad_request"')) refused++;
      }
    }
    assert.equal(await server.stop(), 0);
    // The targets have a parameter that the operation does not have.
    assert.match(server.written.stderr, /^(petstore: GET .* has no parameter x, so it was ignored.*\n)*$/);
    const lines = server.written.stdout.split("\n").filter((line) => /^\d{4}-/.test(line));
    assert.equal(lines.length + refused, 3 + LINE_ENDS.length * (TARGETS.length + 2));
  }));
