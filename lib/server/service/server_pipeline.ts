/**
 * Puts the service of the standalone server together: the petstore, and beside it the description, the probes, the page and, where it is
 * permitted, the reset.
 */

import type { RequestContext } from "../../http/context.ts";
import type { Problem } from "../../http/problem.ts";
import { createService, explainFailure, type Service, type ServiceParts } from "../../petstore/service.ts";
import { type CheckedOptions, checkOptions } from "../../petstore/checked_options.ts";
import type { PetstoreOptions } from "../../petstore/options.ts";
import { INVALID_HOST } from "./errors.ts";
import { representation } from "../../http/conditional.ts";
import { ALLOW_ORIGIN } from "../../http/cors.ts";
import type { Operation } from "../../http/operation.ts";
import type { Reply } from "../../http/reply.ts";
import type { OpenApiServer } from "../../openapi/describe.ts";
import type { MaybePromise } from "../../promises.ts";
import { describeServer } from "./description.ts";
import { withSamples } from "./code_samples.ts";
import { PROBE_OK } from "./drain_gate.ts";
import { PUBLIC_GET } from "../viewer/files.ts";
import { createDocsOperations } from "../viewer/operations.ts";

/** The parts of the server besides the petstore. */
export interface ServerParts extends Pick<ServiceParts, "observe"> {
  /** Whether to serve the description as a web page. */
  hasDocs: boolean;
  /** The addresses that the description names. If there are none, it names that of the server itself. */
  servers?: readonly OpenApiServer[];
  /** Brings the pets back to those of the start. It is absent if no client may do that. */
  reset?: (() => void) | undefined;
}

/** Creates the service of the petstore and of the server's public operations. */
export function createServerPipeline(options: PetstoreOptions, parts: ServerParts): Service {
  const checked = checkOptions(options);
  const operations = createPublicOperations(checked, parts);
  return createService(checked, { ...parts, guard: requireHost, operations });
}

/** `POST /reset`, for keys that may write. */
function createReset(reset: () => void): Operation {
  const handler = (): Reply => {
    reset();
    return { status: 204, headers: {}, body: null };
  };
  return { method: "POST", path: "/reset", access: "key", effect: "adds", handler };
}

function requireHost(context: RequestContext): Problem | undefined {
  const host = context.header("host");
  return host === null || HOST.test(host) ? undefined : INVALID_HOST;
}

/**
 * A valid Host header, which may be empty: visible ASCII but '#', '/', '?', '@' and '\'. `Deno.serve` puts the header into the URL
 * unchanged, so with a slash or a question mark in it, the server would see another path than a gateway in front of it (RFC 9112 §3.2).
 */
const HOST = /^[!"$-.0->A-[\]-~]*$/;

function createPublicOperations(options: CheckedOptions, { hasDocs, servers, reset }: ServerParts): Operation[] {
  const { store } = options;
  const described = describeServer(options, servers);
  const description = representation(JSON.stringify(described), "alteration");
  /** The description with samples. It is made at the first request for it. */
  let withCode: Reply | undefined;
  const describe: Operation["handler"] = ({ query }) => {
    if (!/^samples(=|$)/.test(query)) return description;
    return withCode ??= representation(JSON.stringify(withSamples(described)), "alteration");
  };
  const checkReads = shareResult(() => store.check());
  const checkWrites = shareResult(() => store.checkWrites?.());
  const ready: Operation["handler"] = async ({ query }) => {
    await checkReads();
    if (/^writes(=|$)/.test(query)) await checkWrites();
    return PROBE_OK;
  };
  return [
    ...(reset ? [createReset(reset)] : []),
    {
      ...PUBLIC_GET,
      path: "/openapi.json",
      // Web pages of any origin may read the description, because it contains no secrets.
      fields: { [ALLOW_ORIGIN]: "*" },
      handler: describe,
    },
    { ...PUBLIC_GET, path: "/livez", handler: () => PROBE_OK },
    { ...PUBLIC_GET, path: "/readyz", handler: ready },
    ...(hasDocs ? createDocsOperations(described["servers"] as unknown as OpenApiServer[]) : []),
  ];
}

/** How long the result of a check is repeated, in milliseconds. */
const CHECK_LIFETIME = 1_000;

/**
 * Returns a function that checks at most once a second, and repeats the result for the callers in between: any client may send the request,
 * and a check asks the database or waits for the disk. The caller that begins a check gets what it throws, which is then reported to the
 * operator. The others get the problem that the client sees, which is not reported again.
 */
function shareResult(check: () => MaybePromise<void>): () => Promise<void> {
  /** The latest check, which may be under way. */
  let latest: Promise<void> | undefined;
  /** The time, as in `performance.now()`, until which its result is repeated: no end as long as it is under way. */
  let validUntil = 0;
  return () => {
    if (latest && performance.now() < validUntil) {
      return latest.catch((thrown) => {
        throw explainFailure(thrown);
      });
    }
    validUntil = Infinity;
    // The check is called within a promise, so that an exception becomes a rejection.
    latest = Promise.resolve().then(check).finally(() => validUntil = performance.now() + CHECK_LIFETIME);
    return latest;
  };
}
