import { createDispatcher } from "../http/dispatch.ts";
import type { LimitMemory } from "../access/rate_limit.ts";
import type { Guard, Observer, Pipeline } from "../http/pipeline.ts";
import { checkOptions, type PetstoreOptions } from "../petstore/options.ts";
import { createFailureHandler, createService } from "../petstore/service.ts";
import { createPublicRoutes, type PublicParts } from "./public_routes.ts";
import { INVALID_HOST } from "./errors.ts";

/** What the pipeline of the server has beside the petstore. */
export interface ServerParts extends PublicParts {
  /** The first guard. */
  gate: Guard;
  observe: Observer | undefined;
  /** Where several isolates count requests together. */
  limits: LimitMemory | undefined;
}

/** Creates the pipeline of the server: the petstore and the public routes. */
export function createServerPipeline(options: PetstoreOptions, parts: ServerParts): Pipeline {
  const settings = checkOptions(options);
  const routes = createPublicRoutes(settings.store, options, parts);
  const publicRoutes = createDispatcher("", routes, createFailureHandler(settings.onError));
  return createService({ ...settings, observe: parts.observe }, [parts.gate, requireHost, publicRoutes], parts.limits);
}

const requireHost: Guard = (context) => isHost(context.header("host")) ? undefined : INVALID_HOST.toReply();

/**
 * Whether a Host header could be a host. `Deno.serve` puts it into the URL unchanged. With a slash or a question mark in it,
 * the server would see another path than a gateway in front of it (RFC 9112 §3.2).
 */
function isHost(host: string | null): boolean {
  if (host === null) return true;
  for (let i = 0; i < host.length; i++) {
    const unit = host.charCodeAt(i);
    // Anything but visible ASCII, and '#', '/', '?', '@', '\'.
    if (unit <= 0x20 || unit >= 0x7f || unit === 0x23 || unit === 0x2f || unit === 0x3f || unit === 0x40) return false;
    if (unit === 0x5c) return false;
  }
  return true;
}
