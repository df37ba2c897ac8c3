/** The `Link` header (RFC 8288). */

/** The target of the first link with this relation, which may be relative; `undefined` without such a link. */
export function linkTo(headers: Headers, relation: string): string | undefined {
  // A comma separates links only before '<': targets and quoted values may have commas.
  for (const link of (headers.get("link") ?? "").split(/,[ \t]*(?=<)/)) {
    const end = link.indexOf(">");
    const [, quoted, token = ""] = /;[ \t]*rel=(?:"([^"]*)"|([^ \t;"]+))/i.exec(link.slice(end)) ?? [];
    if (link.startsWith("<") && (quoted ?? token).toLowerCase().split(" ").includes(relation)) {
      return link.slice(1, end);
    }
  }
  return undefined;
}
