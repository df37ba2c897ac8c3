import assert from "node:assert/strict";
import { test } from "node:test";
import { get, HEADERS, KEY } from "../support/http/requests.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { addPet, withFreshServer } from "../support/server/server_process.ts";

const ORIGIN = "https://app.example";

/** Line ends in clients' spellings, and bytes that a careless reader takes for them. */
const LINE_ENDS = ["%0d%0a", "%0a", "%00", "%e5%98%8a%e5%98%8d", "%250d%250a", "\u560d\u560a", "\u2028", "\u0085"];

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
      }
    }
  }));
