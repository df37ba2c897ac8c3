/** What this library's own messages say, and what it reads or writes in its own way. Other petstores have words and cursors of their own. */

import type { Api, ApiResponse } from "../../../packages/conformance/lib/http/api.ts";
import { assertResponse, type Expected } from "../../../packages/conformance/lib/http/case.ts";
import type { OwnCase } from "./all.ts";
import { REX, withKey } from "../../../packages/conformance/lib/http/idempotency.ts";

type Refusal = readonly [
  code: NonNullable<Expected["code"]>,
  message: RegExp,
  request: (api: Api) => Promise<ApiResponse>,
];

const post = (body: string | Uint8Array, headers = {}) => (api: Api) => api.post(body, { headers });
const get = (path: string) => (api: Api) => api.get(path);

/** Refusals by their status. tests/unit/pet_test.ts has what is said of each fault of a pet. */
const REFUSED: Record<number, readonly Refusal[]> = {
  400: [
    ["invalid_limit", /^(?=.*limit.*1.*100).{1,299}$/, get(`/pets?limit=${"1".repeat(5000)}`)],
    ["invalid_status", /status.*available.*pending.*sold/, get("/pets?status=lost")],
    ["invalid_cursor", /cursor/, get("/pets?cursor=abc")],
    ["invalid_pet", /(?=.*name)(?=.*categoryId)(?=.*status)/, post('{"name":"","categoryId":"1","status":"lost"}')],
    ["invalid_json", /^(?!.*empty)/, post("{")],
    ["invalid_json", /empty/, post("")],
    ["invalid_json", /UTF-8/, post(new Uint8Array([0x22, 0xff, 0x22]))],
    ["invalid_idempotency_key", /Idempotency-Key .* 255 /, (api) => api.post(REX, withKey("a b"))],
  ],
  404: [
    ["pet_not_found", /^.{1,199}$/, get(`/pets/${"x".repeat(3000)}`)],
    ["route_not_found", /\/cats"/, get("/cats?limit=1")],
  ],
  405: [["method_not_allowed", /PATCH/, (api) => api.send("PATCH", "/pets")]],
  413: [["body_too_large", / 65536 bytes/, post(" ".repeat(65_537))]],
  415: [
    ["unsupported_media_type", /application\/json/, post("", { "content-type": "text/plain" })],
    ["unsupported_media_type", /Content-Encoding/, post("", { "content-encoding": "gzip" })],
  ],
  501: [["not_implemented", /store orders/, get("/store/orders")]],
};

export const MESSAGE_CASES: readonly OwnCase[] = [
  {
    name: "says in each message what was wrong",
    async run(api) {
      for (const [status, refusals] of Object.entries(REFUSED)) {
        for (const [code, message, send] of refusals) {
          assertResponse(await send(api), { status: Number(status), code, message }, `${message}`);
        }
      }
      await api.post(REX, withKey("a"));
      const reused = await api.post({ ...REX, name: "Bo" }, withKey("a"));
      const expected = { status: 422, code: "idempotency_key_reused", message: /Idempotency-Key/ } as const;
      assertResponse(reused, expected, "another pet");
    },
  },
  {
    name: "refuses a cursor that it would not write",
    async run(api) {
      // The cursors of this library are `after:` and an id in Base64. Some of these would stand for 0, -1 and 2^63.
      const texts = ["after:01", "after:", "after: 1", "after:0", "after:-1", "after:9223372036854775808"];
      for (const cursor of ["1", "YWZ0ZXI6MQ==", ...texts.map((text) => btoa(text).replaceAll("=", ""))]) {
        assertResponse(await api.get(`/pets?cursor=${cursor}`), { status: 400, code: "invalid_cursor" }, cursor);
      }
    },
  },
];
