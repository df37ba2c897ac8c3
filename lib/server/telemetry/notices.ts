/**
 * Tells the operator of mistakes that the response does not show to the client's author: a browser
 * hides the reason of a refused preflight from its page, and a misspelt parameter of a query is
 * ignored. Each mistake is told once. After twenty of a kind there is a pause of an hour, so that no
 * client can fill the log, and none without a key can hide for good what others do wrong.
 */

import { excerpt } from "../../excerpt.ts";
import type { RequestContext } from "../../http/context.ts";
import { ALLOW_ORIGIN, areOrigins, isPreflight } from "../../http/cors.ts";
import type { Observer } from "../../http/finisher.ts";
import { KeptReply, type Reply } from "../../http/reply.ts";
import { splitQuery, splitTarget } from "../../http/request_text.ts";
import { LIST_PARAMETERS } from "../../operations/list_pets.ts";
import { quoteVisibly } from "../process/messages.ts";
import type { Report } from "../process/writers.ts";

export function createNotices(report: Report): Observer {
  const tellOrigin = createLimitedReport(report, "further origins that are refused are not told for an hour");
  const tellParameter = createLimitedReport(report, "further parameters that are ignored are not told for an hour");
  return (context, reply, _startedAt, endedAt) => {
    const tell = isPreflight(context) ? tellOrigin : tellParameter;
    for (const line of mistakesOf(context, reply)) tell(line, endedAt);
  };
}

/** How many mistakes of a kind are told before a pause. */
const MAX_TOLD = 20;

const PAUSE_MS = 3_600_000;

/**
 * Returns a function that reports each line once. After a pause, it has forgotten them.
 *
 * @param lastLine A line that is reported before a pause.
 */
function createLimitedReport(report: Report, lastLine: string): (line: string, now: number) => void {
  const told = new Set<string>();
  let pausedAt = 0;
  return (line, now) => {
    if (told.size === MAX_TOLD && now - pausedAt > PAUSE_MS) told.clear();
    if (told.size === MAX_TOLD || told.has(line)) return;
    told.add(line);
    report(line);
    if (told.size < MAX_TOLD) return;
    pausedAt = now;
    report(lastLine);
  };
}

function mistakesOf(context: RequestContext, reply: Reply): string[] {
  const { caller, route, target } = context;
  if (isPreflight(context)) return describePreflight(context, reply);
  // Only parameters of clients with a valid key are told. A kept reply is passed over for speed: it
  // belongs to one query, which was looked at when the reply was new.
  const isList = caller !== undefined && route?.endsWith("/pets") && target.includes("?");
  return isList && !(reply instanceof KeptReply) ? describeParameters(context) : [];
}

/** Tells that a preflight was refused, and by which setting it would be permitted. */
function describePreflight(context: RequestContext, { headers }: Reply): string[] {
  if (Object.hasOwn(headers, ALLOW_ORIGIN)) return [];
  const origin = context.header("origin")!;
  const shown = quoteVisibly(excerpt(origin, 200));
  // A page of a file has the origin `null`, which cannot be set, so only `*` would permit it.
  const setting = areOrigins([origin]) ? shown : '"*"';
  return [`a page of ${shown} may not use the API; --cors-origin ${setting} would permit it`];
}

/** A name that a programmer would give to a parameter. Other text may be a key, which belongs in no log. */
const PARAMETER_NAME = /^[a-z][a-z_-]{0,19}$/i;

const KNOWN_PARAMETERS = LIST_PARAMETERS.join(", ");

/** Tells which parameters of its query a list does not have, such as `staus`. */
function describeParameters({ route, target }: RequestContext): string[] {
  return splitQuery(splitTarget(target).query)
    .map((parameter) => parameter.split("=", 1)[0] ?? "")
    .filter((name) => !LIST_PARAMETERS.includes(name) && PARAMETER_NAME.test(name))
    .map((name) => `${route} has no parameter ${name}, so it was ignored; it has ${KNOWN_PARAMETERS}`);
}
