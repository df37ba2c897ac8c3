/** Serves `/metrics` at a separate address, so that clients of the API need no access to it. */

import { Problem } from "../../http/problem.ts";
import { isGetOf } from "../../http/request_text.ts";
import { formatAddress } from "../process/lines.ts";
import type { Report } from "../process/writers.ts";
import type { Address, Gate, Listen } from "../service/listener.ts";
import { Metrics } from "./metrics.ts";

const HEADERS = { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" };

const NOT_FOUND = new Problem(404, "route_not_found", "There is only GET /metrics here");

/** A server of metrics, and what it serves. */
export interface MetricsServer {
  metrics: Metrics;
  /** The address of the metrics. */
  url: string;
  /** Accepts no more connections. Those of scrapes that are under way end with the process. */
  stop(): void;
}

/**
 * Listens for scrapes.
 *
 * @throws {SettingError} If it cannot listen at this address.
 */
export async function serveMetrics(
  address: Omit<Address, "flag">,
  listen: Listen,
  report: Report,
): Promise<MetricsServer> {
  const metrics = new Metrics();
  const gate: Gate = {
    respond(context, send) {
      if (!isGetOf("/metrics", context)) return send(NOT_FOUND);
      return send({ status: 200, headers: HEADERS, body: metrics.format() });
    },
  };
  const { port, stop } = await listen({ ...address, flag: "--metrics" }, gate, report);
  return {
    metrics,
    url: `http://${formatAddress({ ...address, port })}/metrics`,
    stop,
  };
}
