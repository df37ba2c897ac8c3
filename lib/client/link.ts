/** The `Link` header (RFC 8288). */

/** The target of the first link with this relation, which may be relative; `undefined` without such a link. */
export function linkTo(headers: Headers, relation: string): string | undefined {
  for (const link of (headers.get("link") ?? "").split("<").slice(1)) {
    const end = link.indexOf(">");
    const [, quoted, token = ""] = /;[ \t]*rel=(?:"([^"]*)"|([^ \t;,"]+))/i.exec(link.slice(end)) ?? [];
    if ((quoted ?? token).toLowerCase().split(" ").includes(relation)) return link.slice(0, end);
  }
  return undefined;
}
