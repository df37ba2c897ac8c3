/**
 * Puts the service of the standalone server together: the petstore, and beside it the description,
 * the probes, the page and, where it is permitted, the reset.
 */

import { taggedReply } from "../../http/conditional.ts";
import type { RequestContext } from "../../http/context.ts";
import { ALLOW_ORIGIN } from "../../http/cors.ts";
import type { Observer } from "../../http/finisher.ts";
import { type Operation, PUBLIC_GET } from "../../http/operation.ts";
import type { Problem } from "../../http/problem.ts";
import type { Reply } from "../../http/reply.ts";
import type { OpenApiServer } from "../../openapi/describe.ts";
import type { JsonObject } from "../../operations/json_types.ts";
import { checkOptions } from "../../petstore/checked_options.ts";
import type { PetstoreOptions } from "../../petstore/options.ts";
import { createService, type Service } from "../../petstore/service.ts";
import { createDocsOperations } from "../viewer/operations.ts";
import { describeServer, withSamples } from "./description.ts";
import { INVALID_HOST } from "./errors.ts";
import { createProbes, hasParameter } from "./probes.ts";

/** The parts of the server besides the petstore. */
export interface ServerParts {
  /** Called for each reply. Unlike the option `onResponse`, it sees the whole request. */
  observe?: Observer | undefined;
  /** Whether to serve the description as a web page. */
  hasDocs: boolean;
  /** The addresses that the description names. If there are none, it names that of the server itself. */
  servers?: readonly OpenApiServer[];
  /** Brings the pets back to those of the start. It is absent if no client may do that. */
  reset?: (() => void) | undefined;
}

/** Creates the service of the petstore and of the server's own operations. */
export function createServerPipeline(options: PetstoreOptions, parts: ServerParts): Service {
  const { observe, hasDocs, servers, reset } = parts;
  const checked = checkOptions(options);
  const description = describeServer(checked, servers);
  const operations = [createDescription(description), ...createProbes(checked.store)];
  if (hasDocs) operations.push(...createDocsOperations(description["servers"] as unknown as OpenApiServer[]));
  if (reset) operations.push(createReset(reset));
  return createService({ ...checked, onResponse: observe }, { guard: requireHost, operations });
}

/** `POST /reset`, for keys that may write. */
function createReset(reset: () => void): Operation {
  return {
    method: "POST",
    path: "/reset",
    access: "key",
    effect: "writes",
    handler() {
      reset();
      return { status: 204, headers: {}, body: null };
    },
  };
}

/** `GET /openapi.json`, and with `?samples` the description with samples of code. */
function createDescription(description: JsonObject): Operation {
  const reply = taggedReply(JSON.stringify(description), "alteration");
  /** The reply with samples. It is made at the first request for it. */
  let replyWithSamples: Reply | undefined;
  const handler: Operation["handler"] = ({ query }) => {
    if (!hasParameter(query, "samples")) return reply;
    return replyWithSamples ??= taggedReply(JSON.stringify(withSamples(description)), "alteration");
  };
  // Web pages of any origin may read the description, because it contains no secrets.
  return { ...PUBLIC_GET, path: "/openapi.json", fields: { [ALLOW_ORIGIN]: "*" }, handler };
}

function requireHost(context: RequestContext): Problem | undefined {
  return HOST.test(context.header("host") ?? "") ? undefined : INVALID_HOST;
}

/**
 * A valid Host header, which may be empty: visible ASCII but '#', '/', '?', '@' and '\'.
 * `Deno.serve` puts the header into the URL unchanged, so with a slash or a question mark in it,
 * the server would see another path than a gateway in front of it (RFC 9112 §3.2).
 */
const HOST = /^[!"$-.0->A-[\]-~]*$/;
