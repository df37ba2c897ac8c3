/** Serves `/metrics` at a separate address, so that clients of the API need no access to it. */

import { Problem } from "../../http/problem.ts";
import type { Reply } from "../../http/reply.ts";
import { splitTarget } from "../../http/request_text.ts";
import type { Report } from "../process/writers.ts";
import type { Address, Listen, Listener } from "../service/listener.ts";
import type { Metrics } from "./metrics.ts";
import { METRICS_TEXT } from "./samples.ts";

const NOT_FOUND = new Problem(404, "route_not_found", "There is only GET /metrics here");

/**
 * Listens for scrapes.
 *
 * @throws {SettingError} If it cannot listen at this address.
 */
export async function serveMetrics(
  address: Omit<Address, "flag">,
  listen: Listen,
  metrics: Metrics,
  report: Report,
): Promise<Listener> {
  const scrape = (): Reply => ({
    status: 200,
    headers: { "content-type": METRICS_TEXT, "cache-control": "no-store" },
    body: metrics.format(),
  });
  return await listen({ ...address, flag: "--metrics" }, {
    respond(context, info, send) {
      const isScrape = splitTarget(context.target).path === "/metrics" && ["GET", "HEAD"].includes(context.method);
      return send(isScrape ? scrape() : NOT_FOUND, context, { fail: () => NOT_FOUND }, info);
    },
  }, report);
}
