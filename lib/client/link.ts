/** The `Link` header (RFC 8288). */

/** A target, the next link, or a parameter. What is not closed goes to the end, so this takes linear time. */
const PART = /<([^>]*)>?|,|;\s*([^\s=;,<"]+)\s*(?:=\s*("(?:[^"\\]|\\.?)*"?|[^\s;,<"]*))?/g;

/** The target of the first link with this relation, which may be relative; `undefined` without such a link. */
export function linkTo(headers: Headers, relation: string): string | undefined {
  let target: string | undefined, relations: string | undefined;
  for (const [part, address, name, value = ""] of (headers.get("link") ?? "").matchAll(PART)) {
    if (part === ",") target = relations = undefined;
    target ??= address;
    if (name?.toLowerCase() !== "rel") continue;
    // Only the first `rel` of a link counts.
    relations ??= value.replace(/\\(.)|"/g, "$1").toLowerCase();
    if (relations.split(/\s+/).includes(relation)) return target;
  }
  return undefined;
}
