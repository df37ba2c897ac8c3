import type { RequestContext } from "../http/context.ts";
import type { Problem } from "../http/problem.ts";
import type { PetstoreOptions } from "../petstore/options.ts";
import { createService, type Service, type ServiceParts } from "../petstore/service.ts";
import { checkOptions } from "../petstore/checked_options.ts";
import { INVALID_HOST } from "./errors.ts";
import { createPublicOperations, type PublicParts } from "./public_operations.ts";

/** The parts of the server besides the petstore. */
export type ServerParts = PublicParts & Pick<ServiceParts, "observe" | "limits">;

/** Creates the service of the petstore and of the server's public operations. */
export function createServerPipeline(options: PetstoreOptions, parts: ServerParts): Service {
  const settings = checkOptions(options);
  const operations = createPublicOperations(settings, parts);
  return createService(settings, { ...parts, guard: requireHost, operations });
}

function requireHost(context: RequestContext): Problem | undefined {
  const host = context.header("host");
  // Most requests name the same host.
  if (host === null || host === lastHost) return undefined;
  if (!HOST.test(host)) return INVALID_HOST;
  lastHost = host;
  return undefined;
}

let lastHost: string | undefined;

/**
 * What a Host header may be: visible ASCII but '#', '/', '?', '@' and '\'. `Deno.serve` puts it into the URL unchanged. With a
 * slash or a question mark in it, the server would see another path than a gateway in front of it (RFC 9112 §3.2).
 */
const HOST = /^[!"$-.0->A-[\]-~]*$/;
