/**
 * What this library's own messages say, and what it reads or writes in its own way. Other petstores
 * have words and cursors of their own.
 */

import type { Api, ApiResponse } from "../../../packages/conformance/lib/http/api.ts";
import { assertResponse } from "../../../packages/conformance/lib/http/responses.ts";
import type { ErrorBody } from "../../../mod.ts";
import type { OwnCase } from "./all.ts";

const post = (body: string | Uint8Array, headers = {}) => (api: Api) => api.post(body, { headers });
const get = (path: string) => (api: Api) => api.get(path);

/** Refusals whose message says more than their code. tests/unit/pet_test.ts has what is said of each fault of a pet. */
const REFUSED: [status: number, ErrorBody["code"], message: RegExp, request: (api: Api) => Promise<ApiResponse>][] = [
  [400, "invalid_limit", /^(?=.*limit.*1.*100).{1,299}$/, get(`/pets?limit=${"1".repeat(5000)}`)],
  [400, "invalid_status", /available, pending, sold, not "lost"$/, get("/pets?status=lost")],
  [400, "invalid_pet", /(?=.*name)(?=.*categoryId)(?=.*status)/, post('{"name":"","categoryId":"1","status":"lost"}')],
  [400, "invalid_json", /it is empty$/, post("")],
  [400, "invalid_json", /UTF-8/, post(new Uint8Array([0x22, 0xff, 0x22]))],
  [404, "pet_not_found", /^.{1,199}$/, get(`/pets/${"x".repeat(3000)}`)],
  [404, "route_not_found", /\/cats"/, get("/cats?limit=1")],
  [405, "method_not_allowed", /PATCH/, (api) => api.send("PATCH", "/pets")],
  [413, "body_too_large", / 65536 bytes/, post(" ".repeat(65_537))],
  [415, "unsupported_media_type", /application\/json, not "text\/plain"$/, post("", { "content-type": "text/plain" })],
  [415, "unsupported_media_type", /Content-Encoding/, post("", { "content-encoding": "gzip" })],
];

export const MESSAGE_CASES: readonly OwnCase[] = [
  {
    name: "says in each message what was wrong",
    async run(api) {
      for (const [status, code, message, send] of REFUSED) {
        assertResponse(await send(api), status, code, { message });
      }
    },
  },
  {
    name: "refuses a cursor that it would not write",
    async run(api) {
      // The cursors of this library are `after:` and an id in Base64. Some of these would stand for 0 and 2^63.
      const texts = ["after:01", "after:", "after:0", "after:9223372036854775808"];
      for (const cursor of ["1", "YWZ0ZXI6MQ==", ...texts.map((text) => btoa(text).replaceAll("=", ""))]) {
        assertResponse(await api.get(`/pets?cursor=${cursor}`), 400, "invalid_cursor");
      }
    },
  },
];
