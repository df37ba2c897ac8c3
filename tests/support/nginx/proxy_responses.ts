/** Responses through nginx: the petstore's as they are described, and nginx's own in the same Error shape. */

import assert from "node:assert/strict";
import type { ResponseValidator, SeenResponse } from "../openapi_validator.ts";
import { validateServerResponse } from "../server/server_description.ts";

export const NGINX_CODES: ReadonlyMap<string, number> = new Map([
  ["bad_request", 400],
  ["https_required", 403],
  ["uri_too_long", 414],
  ["too_many_requests", 429],
  ["unknown_transfer_coding", 501],
  ["bad_gateway", 502],
  ["gateway_timeout", 504],
  ["version_not_supported", 505],
]);

/** Checks a response that came through nginx: against the description, or against the Error shape. */
export const validateProxyResponse: ResponseValidator = (method, path, response) => {
  const own = withoutServer(response);
  if (isMadeByNginx(path, own)) assertErrorShape(own);
  else validateServerResponse(method, path, own);
};

/** The response without the one header that nginx adds. */
export function withoutServer(response: SeenResponse): SeenResponse {
  const headers = new Headers(response.headers);
  assert.equal(headers.get("server"), "nginx");
  headers.delete("server");
  return { ...response, headers };
}

/** Decided by the code, or by what the petstore would not have answered there. */
function isMadeByNginx(path: string, { status, headers, text }: SeenResponse): boolean {
  if (status < 400 || text === "") return false;
  const { code } = JSON.parse(text);
  if (NGINX_CODES.has(code)) return NGINX_CODES.get(code) === status;
  if (code === "method_not_allowed") return !headers.has("allow");
  return code === "body_too_large" || (code === "route_not_found" && /^\/(livez|readyz)$/.test(path));
}

function assertErrorShape({ status, headers, text }: SeenResponse): void {
  assert.equal(headers.get("content-type"), "application/json");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  const error = JSON.parse(text);
  assert.deepEqual(Object.keys(error), ["code", "message", "status"]);
  assert.deepEqual([typeof error.code, typeof error.message, error.status], ["string", "string", status]);
}
