/** Serves `/metrics` at a separate address, so that clients of the API need no access to it. */

import { Problem } from "../../http/problem.ts";
import type { Reply } from "../../http/reply.ts";
import { splitTarget } from "../../http/request_text.ts";
import { resolvesWithin } from "../../promises.ts";
import { formatAddress } from "../process/lines.ts";
import type { Report } from "../process/writers.ts";
import type { Address, Gate, Listen } from "../service/listener.ts";
import { Metrics } from "./metrics.ts";
import { METRICS_TEXT } from "./samples.ts";

const NOT_FOUND = new Problem(404, "route_not_found", "There is only GET /metrics here");

/** A server of metrics, and what it serves. */
export interface MetricsServer {
  metrics: Metrics;
  /** The address of the metrics. */
  url: string;
  stop(): Promise<unknown>;
}

/** The time limit for clients that still read when the server stops, in milliseconds. */
const STOP_TIMEOUT_MS = 1_000;

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
  const scrape = (): Reply => ({
    status: 200,
    headers: { "content-type": METRICS_TEXT, "cache-control": "no-store" },
    body: metrics.format(),
  });
  const gate: Gate = {
    respond(context, send) {
      const isScrape = splitTarget(context.target).path === "/metrics" && ["GET", "HEAD"].includes(context.method);
      return send(isScrape ? scrape() : NOT_FOUND);
    },
  };
  const { port, stop } = await listen({ ...address, flag: "--metrics" }, gate, report);
  return {
    metrics,
    url: `http://${formatAddress({ ...address, port })}/metrics`,
    stop: () => resolvesWithin(STOP_TIMEOUT_MS, stop()),
  };
}
