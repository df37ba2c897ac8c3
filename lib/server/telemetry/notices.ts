/**
 * Tells the operator of mistakes that the response does not show to the client's author: a browser hides the reason of a refused preflight
 * from its page, and a misspelt parameter of a query is ignored. Each mistake is told once, and only the first twenty of a kind are, so
 * that no client can fill the log.
 */

import type { Observer } from "../../http/finisher.ts";
import { ALLOW_ORIGIN, areOrigins, isPreflight } from "../../http/cors.ts";
import { splitQuery, splitTarget } from "../../http/request_text.ts";
import { KeptReply } from "../../http/reply.ts";
import { excerpt } from "../../json.ts";
import { LIST_PARAMETERS } from "../../operations/list_pets.ts";
import type { Report } from "../process/writers.ts";
import { quoteVisibly } from "../process/lines.ts";
import { loggedMethod } from "./logged_target.ts";

/** Tells which preflights were refused, and by which setting they would be permitted. */
export function createPreflightNotices(report: Report): Observer {
  const tellOnce = createLimitedReport(report, "further origins that are refused are not told");
  return (context, { headers }) => {
    if (!isPreflight(context) || Object.hasOwn(headers, ALLOW_ORIGIN)) return;
    const origin = context.header("origin")!;
    tellOnce(origin, () => {
      const shown = quoteVisibly(excerpt(origin, 200));
      // A page of a file has the origin `null`, which cannot be set, so only `*` would permit it.
      const setting = areOrigins([origin]) ? shown : '"*"';
      return `a page of ${shown} may not use the API; --cors-origin ${setting} would permit it`;
    });
  };
}

/** A name that a programmer would give to a parameter. Other text may be a key, which belongs in no log. */
const PARAMETER_NAME = /^[a-z][a-z_-]{0,19}$/i;

/** Tells which parameters of queries their operation does not have, such as `staus`. Only those of clients with a valid key are told. */
export function createParameterNotices(report: Report): Observer {
  const tellOnce = createLimitedReport(report, "further parameters that are ignored are not told");
  return (context, reply) => {
    const { caller, route, method, target } = context;
    if (caller === undefined || route === undefined || !target.includes("?")) return;
    // A kept reply is passed over for speed: it belongs to one query, which was looked at when the reply was new.
    if (reply instanceof KeptReply) return;
    const shownMethod = loggedMethod(method);
    const isList = route.endsWith("/pets") && (method === "GET" || method === "HEAD");
    const known = isList ? LIST_PARAMETERS : [];
    for (const parameter of splitQuery(splitTarget(target).query)) {
      const [name = ""] = parameter.split("=", 1);
      if (known.includes(name) || !PARAMETER_NAME.test(name)) continue;
      tellOnce(`${shownMethod} ${route} ${name}`, () => {
        const others = isList ? `; it has ${LIST_PARAMETERS.join(", ")}` : "";
        return `${shownMethod} ${route} has no parameter ${name}, so it was ignored${others}`;
      });
    }
  };
}

/** How many mistakes of a kind are told. */
const MAX_TOLD = 20;

/**
 * Returns a function that reports a line, unless it has reported one for the same subject. The line is made only if it is reported.
 *
 * @param lastLine A line that is reported after the last one.
 */
function createLimitedReport(report: Report, lastLine: string): (subject: string, makeLine: () => string) => void {
  const told = new Set<string>();
  return (subject, makeLine) => {
    if (told.size >= MAX_TOLD || told.has(subject)) return;
    told.add(subject);
    report(makeLine());
    if (told.size === MAX_TOLD) report(lastLine);
  };
}
