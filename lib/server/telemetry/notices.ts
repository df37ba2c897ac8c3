/**
 * Tells the operator of mistakes that the response does not show to the client's author: a browser
 * hides the reason of a refused preflight from its page, and a misspelt parameter of a query is
 * ignored. Each mistake is told once, and only the first twenty of a kind are, so that no client
 * can fill the log.
 */

import type { Observer } from "../../http/finisher.ts";
import { ALLOW_ORIGIN, areOrigins, isPreflight } from "../../http/cors.ts";
import { splitQuery, splitTarget } from "../../http/request_text.ts";
import { KeptReply } from "../../http/reply.ts";
import { excerpt } from "../../excerpt.ts";
import { LIST_PARAMETERS } from "../../operations/list_pets.ts";
import type { Report } from "../process/writers.ts";
import { quoteVisibly } from "../process/messages.ts";

/** Tells which preflights were refused, and by which setting they would be permitted. */
export function createPreflightNotices(report: Report): Observer {
  const tellOnce = createLimitedReport(report, "further origins that are refused are not told");
  return (context, { headers }) => {
    if (!isPreflight(context) || Object.hasOwn(headers, ALLOW_ORIGIN)) return;
    const origin = context.header("origin")!;
    const shown = quoteVisibly(excerpt(origin, 200));
    // A page of a file has the origin `null`, which cannot be set, so only `*` would permit it.
    const setting = areOrigins([origin]) ? shown : '"*"';
    tellOnce(`a page of ${shown} may not use the API; --cors-origin ${setting} would permit it`);
  };
}

/** A name that a programmer would give to a parameter. Other text may be a key, which belongs in no log. */
const PARAMETER_NAME = /^[a-z][a-z_-]{0,19}$/i;

/**
 * Tells which parameters of queries a list does not have, such as `staus`. Only those of clients
 * with a valid key are told.
 */
export function createParameterNotices(report: Report): Observer {
  const tellOnce = createLimitedReport(report, "further parameters that are ignored are not told");
  const known = LIST_PARAMETERS.join(", ");
  return ({ caller, route, target }, reply) => {
    if (caller === undefined || !route?.endsWith("/pets") || !target.includes("?")) return;
    // A kept reply is passed over for speed: it belongs to one query, which was looked at when the reply was new.
    if (reply instanceof KeptReply) return;
    for (const parameter of splitQuery(splitTarget(target).query)) {
      const [name = ""] = parameter.split("=", 1);
      if (LIST_PARAMETERS.includes(name) || !PARAMETER_NAME.test(name)) continue;
      tellOnce(`${route} has no parameter ${name}, so it was ignored; it has ${known}`);
    }
  };
}

/** How many mistakes of a kind are told. */
const MAX_TOLD = 20;

/**
 * Returns a function that reports each line once.
 *
 * @param lastLine A line that is reported after the last one.
 */
function createLimitedReport(report: Report, lastLine: string): Report {
  const told = new Set<string>();
  return (line) => {
    if (told.size >= MAX_TOLD || told.has(line)) return;
    told.add(line);
    report(line);
    if (told.size === MAX_TOLD) report(lastLine);
  };
}
