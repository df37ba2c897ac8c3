/** What this library's own messages say, and what it reads or writes in its own way. Other petstores have words and cursors of their own. */

import assert from "node:assert/strict";
import type { Api, ApiResponse } from "../../../packages/conformance/lib/http/api.ts";
import {
  addition,
  assertResponse,
  cases,
  type Expected,
  type HttpCase,
} from "../../../packages/conformance/lib/http/case.ts";
import { REX, withKey } from "../../../packages/conformance/lib/http/idempotency.ts";

const MESSAGES = addition("errors", "A message says what was wrong and what would be right");
const CURSORS = addition("pets.list", "A cursor is what this library would write");
const HEADS = addition("pets.conditional", "HEAD has the Content-Length of GET");

type Refusal = readonly [
  message: RegExp,
  code: NonNullable<Expected["code"]>,
  request: (api: Api) => Promise<ApiResponse>,
];

const post = (body: string | Uint8Array) => (api: Api) => api.post(body);
const get = (path: string) => (api: Api) => api.get(path);
const pet = (members: string) => post(`{"name":"Rex","categoryId":7,${members}}`);

const REFUSED: Record<number, readonly Refusal[]> = {
  400: [
    [/^(?=.*limit.*1.*100).{1,299}$/, "invalid_limit", get(`/pets?limit=${"1".repeat(5000)}`)],
    [/^(?=.*status.*available.*pending.*sold).{1,299}$/, "invalid_status", get("/pets?status=lost")],
    [/^(?=.*cursor).{1,299}$/, "invalid_cursor", get("/pets?cursor=abc")],
    [/^(?!.*(?:required|status|name)).*categoryId/, "invalid_pet", post('{"name":"Rex","categoryId":"7"}')],
    [/^(?!.*(?:required|status|categoryId)).*name/, "invalid_pet", post('{"name":" ","categoryId":7}')],
    [
      /^(?!.*(?:required|status|categoryId)).*name/,
      "invalid_pet",
      post(`{"name":"${"x".repeat(50_000)}","categoryId":7}`),
    ],
    [/available, pending, sold/, "invalid_pet", pet('"status":"lost"')],
    [/^(?=.*name)(?=.*categoryId)(?=.*status)/, "invalid_pet", post('{"name":"","categoryId":"1","status":"lost"}')],
    [/JSON object/, "invalid_pet", post("null")],
    [/JSON object/, "invalid_pet", post("[{}]")],
    [/name is required$/, "invalid_pet", post('{"categoryId":7}')],
    [/categoryId is required$/, "invalid_pet", post('{"name":"Rex"}')],
    [/^(?!.*empty)/, "invalid_json", post("{")],
    [/empty/, "invalid_json", post("")],
    [/UTF-8/, "invalid_json", post(new Uint8Array([0x22, 0xff, 0x22]))],
    [/Idempotency-Key .* 255 /, "invalid_idempotency_key", (api) => api.post(REX, withKey("a b"))],
  ],
  404: [
    [/"9"/, "pet_not_found", get("/pets/9")],
    [/^.{1,199}$/, "pet_not_found", get(`/pets/${"x".repeat(3000)}`)],
    [/\/cats"/, "route_not_found", get("/cats?limit=1")],
  ],
  405: [[/PATCH/, "method_not_allowed", (api) => api.send("PATCH", "/pets")]],
  413: [[/ 65536 bytes/, "body_too_large", post(" ".repeat(65_537))]],
  415: [
    [
      /application\/json/,
      "unsupported_media_type",
      (api) => api.post("", { headers: { "content-type": "text/plain" } }),
    ],
    [/Content-Encoding/, "unsupported_media_type", (api) => api.post("", { headers: { "content-encoding": "gzip" } })],
  ],
  501: [[/store orders/, "not_implemented", get("/store/orders")]],
};

export const MESSAGE_CASES: readonly HttpCase[] = [
  ...cases(MESSAGES, {
    async "says in each message what was wrong"(api) {
      for (const [status, refusals] of Object.entries(REFUSED)) {
        for (const [message, code, send] of refusals) {
          const response = await send(api);
          assertResponse(response, { status: Number(status), code, message }, `${message}`);
          assert.ok(response.error.message.length < 800);
        }
      }
      // A request that creates nothing needs no valid key.
      assert.equal((await api.get("/pets", withKey("a b"))).status, 200);
      await api.post(REX, withKey("a"));
      const reused = await api.post({ ...REX, name: "Bo" }, withKey("a"));
      const message = /Idempotency-Key/;
      assertResponse(reused, { status: 422, code: "idempotency_key_reused", message }, "another pet");
    },
  }),
  ...cases(CURSORS, {
    async "refuses a cursor that it would not write"(api) {
      // The cursors of this library are `after:` and an id in Base64. Some of these would stand for 0, -1 and 2^63.
      const texts = ["after:01", "after:", "after: 1", "after:0", "after:-1", "after:9223372036854775808"];
      for (const cursor of ["1", "YWZ0ZXI6MQ==", ...texts.map((text) => btoa(text).replaceAll("=", ""))]) {
        assertResponse(await api.get(`/pets?cursor=${cursor}`), { status: 400, code: "invalid_cursor" }, cursor);
      }
    },
  }),
  ...cases({ ...HEADS, dependsOn: ["host"] }, {
    async "tells the length of a list in the response to HEAD"(api) {
      assert.equal((await api.send("HEAD", "/pets")).headers.get("content-length"), "2");
    },
  }),
];
