/** One line a request. */

import { splitUrl } from "../http/routing.ts";
import type { LineWriter } from "./line_writer.ts";

/** Notes a request that has been answered; it began at `startedAt` of `performance.now()`. */
export type AccessLog = (client: string, method: string, url: string, status: number, startedAt: number) => void;

/** Makes an access log. */
export function createAccessLog(writer: LineWriter): AccessLog {
  return (client, method, url, status, startedAt) => {
    const duration = (performance.now() - startedAt).toFixed(1);
    writer.add(`${new Date().toISOString()} ${client} ${method} ${loggedTarget(url)} ${status} ${duration}ms`);
  };
}

/** The parameters of the API. Others are not logged: some clients send their key in one (RFC 6750 §2.3). */
const KNOWN_QUERY = /^(?:(?:limit|status|cursor)=[^&]*(?:&|$))*$/;

/** Path and query as a log may show them: without keys, and without what a terminal or a line reader would act on. */
export function loggedTarget(url: string): string {
  const { path, query } = splitUrl(url);
  const target = query === "" ? path : `${path}?${KNOWN_QUERY.test(query) ? query : "…"}`;
  return /^[!-~…]*$/.test(target) ? target : target.toWellFormed().replace(/[^!-~…]/gu, encodeURIComponent);
}
