/** Serves `/metrics` at a separate address, so that clients of the API need no access to it. */

import process from "node:process";
import type { Reply } from "../../http/reply.ts";
import { Problem } from "../../http/problem.ts";
import { splitTarget } from "../../http/target.ts";
import { VERSION } from "../../version.ts";
import type { Address, Listen, Listener, Report, Server } from "../host.ts";
import { addSamples, formatSamples, labels, OPEN_METRICS, type Samples } from "./samples.ts";

const NOT_FOUND = new Problem(404, "route_not_found", "There is only GET /metrics here");

/**
 * Listens for scrapes.
 *
 * @param server The server whose counts are served.
 * @throws {SettingError} If it cannot listen at this address.
 */
export async function serveMetrics(
  address: Address,
  listen: Listen,
  server: Pick<Server, "readMetrics">,
  report: Report,
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
  return await listen(address, {
    respond(context, info, send) {
      const isScrape = splitTarget(context.target).path === "/metrics" && ["GET", "HEAD"].includes(context.method);
      return send(isScrape ? scrape() : NOT_FOUND, context, { fail: () => NOT_FOUND }, info);
    },
  }, report);
}
