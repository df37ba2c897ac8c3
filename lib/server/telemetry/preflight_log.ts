/**
 * Tells which preflights were refused, and by which setting they would be permitted. A browser tells its page nothing of the reason, so
 * the operator would look in vain. An origin is told once, and after twenty others none is, so that no client can fill the log.
 */

import type { Observer } from "../../http/finisher.ts";
import { ALLOW_ORIGIN, areOrigins, isPreflight } from "../../http/cors.ts";
import { excerpt } from "../../json.ts";
import type { Report } from "../http/listener.ts";
import { quoteVisibly } from "../process/lines.ts";

/** How many origins are told. */
const MAX_ORIGINS = 20;

export function createPreflightLog(report: Report): Observer {
  const told = new Set<string>();
  return (context, { headers }) => {
    if (!isPreflight(context) || told.size >= MAX_ORIGINS || Object.hasOwn(headers, ALLOW_ORIGIN)) return;
    const origin = context.header("origin")!;
    if (told.has(origin)) return;
    told.add(origin);
    const shown = quoteVisibly(excerpt(origin, 200));
    // A page of a file has the origin `null`, which is no setting.
    const setting = areOrigins([origin]) ? shown : '"*"';
    report(`a page of ${shown} may not use the API; --cors-origin ${setting} would permit it`);
    if (told.size === MAX_ORIGINS) report("further origins that are refused are not told");
  };
}
