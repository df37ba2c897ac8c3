import type { RequestContext } from "../http/context.ts";
import type { Problem } from "../http/problem.ts";
import type { PetstoreOptions } from "../petstore/options.ts";
import { createService, type Service, type ServiceParts } from "../petstore/service.ts";
import { checkOptions } from "../petstore/settings.ts";
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
  return isHost(context.header("host")) ? undefined : INVALID_HOST;
}

/**
 * Whether a Host header may be a host. `Deno.serve` puts it into the URL unchanged. With a slash or a question mark in it,
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
