/** What the standalone server answers, against its description. The tests of its own paths have what is true of them alone. */

import assert from "node:assert/strict";
import type { PetstoreOptions } from "../../../mod.ts";
import { serverOpenApiOf } from "../descriptions.ts";
import { createResponseValidator, type ResponseValidator, type SeenResponse } from "../openapi_validator.ts";

/** The options that a server has by default. */
const OPTIONS: Partial<PetstoreOptions> = { requestIds: "failures" };

/** The paths that are for programs and browsers, and in no description. */
const OWN_PATH = /^\/(livez|readyz|reset|openapi\.json|docs(\/[^%]*)?)?$/;

const validate = createResponseValidator(serverOpenApiOf(OPTIONS), "/v1", nameOnAnyPath);

export const validateServerResponse: ResponseValidator = (method, path, response) => {
  const isOwn = OWN_PATH.test(path) && response.status !== 401 && response.status !== 404;
  if (!isOwn || nameOnAnyPath(response)) return validate(method, path, response);
  if (response.text !== "") assert.equal(response.headers.get("x-content-type-options"), "nosniff", path);
};

/** Refusals that come before the path: of a head, and while the server shuts down. */
function nameOnAnyPath({ status, headers, text }: SeenResponse): string | undefined {
  // The response to HEAD has no text.
  if (status === 400 && /"code":"(invalid_host|bad_request)"|^$/.test(text)) return "InvalidHead";
  if (status === 408) return "RequestTimeout";
  if (status === 431) return "HeadTooLarge";
  if (status === 503 && headers.get("connection") === "close") return "ServerUnavailable";
  return undefined;
}
