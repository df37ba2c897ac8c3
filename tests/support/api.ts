/** A client of a petstore. Every response is checked against the OpenAPI description. */

import { OPERATIONS } from "../../lib/operations/table.ts";
import { openApiOf } from "./descriptions.ts";
import type { PetstoreOptions } from "../../mod.ts";
import {
  type Api,
  type Host as ContractHost,
  withApi as withBareApi,
} from "../../packages/conformance/lib/http/api.ts";
import { createResponseValidator } from "./openapi_validator.ts";

export {
  type Api,
  type ApiResponse,
  type Handle,
  KEY,
  type RequestParts,
} from "../../packages/conformance/lib/http/api.ts";

export interface Host extends ContractHost {
  name: string;
}

/** Every error body that was seen, as text; the description's examples are looked up in it. */
export const seenErrors: Set<string> = new Set();

/** Each operation and status that was seen, such as `listPets 200`. */
export const seenResponses: Set<string> = new Set();

/** The operation of the table that a request has reached, if it has. */
function operationOf(method: string, path: string): string | undefined {
  const wanted = method === "HEAD" ? "GET" : method;
  const found = OPERATIONS.find((each) => {
    return each.method === wanted && new RegExp(`${each.path.replace(/\{\w+\}$/, "[^/]+")}$`).test(path);
  });
  return found?.id;
}

export const IN_PROCESS: Host = { name: "in-process", use: (handle, run) => run("http://petstore.test", handle) };

export async function withApi<T>(
  host: Host,
  options: Partial<PetstoreOptions>,
  run: (api: Api) => Promise<T>,
): Promise<T> {
  const basePath = options.basePath ?? "/v1";
  const validate = createResponseValidator(openApiOf(options), basePath === "/" ? "" : basePath);
  return await withBareApi(options, run, {
    host,
    check(method, path, seen) {
      validate(method, path, seen);
      const operation = operationOf(method, path);
      if (operation !== undefined) seenResponses.add(`${operation} ${seen.status}`);
      if (seen.status >= 400 && seen.text !== "") seenErrors.add(seen.text);
    },
  });
}
