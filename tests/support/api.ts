/** A client of a petstore. Every response is checked against the OpenAPI description. */

import { openApiOf } from "./descriptions.ts";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { type Api, createApi, type Handle, type SentRequest } from "../../packages/conformance/lib/http/api.ts";
import { createResponseValidator } from "./openapi_validator.ts";

export type { Api, Handle };
export type { ApiResponse, RequestParts } from "../../packages/conformance/lib/http/api.ts";

/** The key of the petstores under test in this process. */
export const KEY = "pk_test_0123456789abcdef";

/** Sends requests to a petstore. */
export interface Host {
  name: string;
  /**
   * Mounts a handler at the root, and calls `run` with the origin, such as `http://127.0.0.1:8000`,
   * and with a function that sends a request.
   */
  use<T>(handle: Handle, run: (origin: string, send: Handle) => Promise<T>): Promise<T>;
}

/** Every error body that was seen, as text; the description's examples are looked up in it. */
export const seenErrors: Set<string> = new Set();

/** Each operation and status that was seen, such as `listPets 200`. */
export const seenResponses: Set<string> = new Set();

export const IN_PROCESS: Host = { name: "in-process", use: (handle, run) => run("http://petstore.test", handle) };

export async function withApi<T>(
  host: Host,
  options: Partial<PetstoreOptions>,
  run: (api: Api) => Promise<T>,
): Promise<T> {
  const basePath = options.basePath ?? "/v1";
  const validate = createResponseValidator(openApiOf(options), basePath === "/" ? "" : basePath);
  const { handle } = createPetstore({ keys: [KEY], ...options });
  return await host.use(handle, (origin, send) => {
    const exchange = async (url: string, init: SentRequest) => {
      const response = await send(new Request(url, init));
      const seen = { status: response.status, headers: response.headers, text: await response.text() };
      const operation = validate(init.method, new URL(url).pathname, seen);
      if (operation !== undefined) seenResponses.add(`${operation} ${seen.status}`);
      if (seen.status >= 400 && seen.text !== "") seenErrors.add(seen.text);
      return seen;
    };
    return run(createApi({ base: origin + basePath, key: KEY, exchange }));
  });
}
