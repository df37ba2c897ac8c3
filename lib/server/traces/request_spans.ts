/** Names and describes the span of a request (semantic conventions for HTTP). */

import { splitTarget } from "../../http/target.ts";
import type { RequestContext } from "../../http/context.ts";
import type { Observer } from "../../http/finisher.ts";
import { loggedTarget, MAX_SHOWN } from "../log/logged_target.ts";
import type { Span, Traces } from "./api.ts";

/** The methods of RFC 9110 and RFC 5789. With others, a client could choose the names of spans. */
const METHODS = new Set(["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]);

/** Describes the spans that the runtime has started, when their requests have been answered. The runtime adds the status and ends them. */
export function describeSpans({ activeSpan }: Traces): Observer {
  return (context) => {
    const span = activeSpan();
    if (span) describeSpan(span, context);
  };
}

/** Sets the name and the attributes of the request. */
export function describeSpan(span: Span, { method, route, target }: RequestContext): void {
  const isKnown = METHODS.has(method);
  const name = isKnown ? method : "HTTP";
  span.updateName(route === undefined ? name : `${name} ${route}`);
  const { path, query } = tracedTarget(target);
  span.setAttributes({
    "http.request.method": isKnown ? method : "_OTHER",
    "url.path": path,
    ...(route !== undefined && { "http.route": route }),
    ...(query !== "" && { "url.query": query }),
  });
}

/** The target as in the log. A short path has nothing to hide, and a search would cost more than the rest of this function. */
function tracedTarget(target: string): { path: string; query: string } {
  if (target.length <= MAX_SHOWN && !target.includes("?")) return { path: target, query: "" };
  return splitTarget(loggedTarget(target));
}
