/** Serves `/metrics` at a separate address, so that clients of the API need no access to it. */

import process from "node:process";
import type { Reply } from "../../http/reply.ts";
import { createFinisher } from "../../http/finisher.ts";
import { ANONYMOUS } from "../../http/operation.ts";
import { createPipeline } from "../../http/pipeline.ts";
import { createRecovery } from "../../http/recovery.ts";
import { chain } from "../../maybe_promise.ts";
import { VERSION } from "../../version.ts";
import type { Address, Listen, Listener, StoppableServer } from "../host.ts";
import { addSamples, formatSamples, labels, OPEN_METRICS, type Samples } from "./samples.ts";

/**
 * Listens for scrapes.
 *
 * @param server The server whose counts are served.
 * @param report Receives lines for the operator.
 * @throws {SettingError} If it cannot listen at this address.
 */
export async function serveMetrics(
  address: Address,
  listen: Listen,
  server: Pick<StoppableServer, "readMetrics">,
  report: (line: string) => void,
): Promise<Listener> {
  const { deno, node } = process.versions;
  const runtime = deno === undefined ? `node ${node}` : `deno ${deno}`;
  const processSamples: Samples = {
    petstore_build_info: { [`petstore_build_info${labels({ runtime, version: VERSION })}`]: 1 },
    process_start_time_seconds: { process_start_time_seconds: performance.timeOrigin / 1000 },
  };
  const scrape = (): Reply => ({
    status: 200,
    headers: { "content-type": OPEN_METRICS, "cache-control": "no-store" },
    body: formatSamples(addSamples([...server.readMetrics(), processSamples])),
  });
  const pipeline = createPipeline({
    cors: undefined,
    authenticate: () => ANONYMOUS,
    authorize: () => undefined,
    cache: undefined,
    operations: [{ method: "GET", path: "/metrics", access: "public", handler: scrape }],
    recover: createRecovery(() => {}),
    finisher: createFinisher({ requestIds: "none" }),
  });
  return await listen(address, {
    respond: (context, info, send) => chain(pipeline.respond(context), (reply) => send(reply, context, pipeline, info)),
  }, report);
}
