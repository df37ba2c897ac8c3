/** The target of the first link with this relation (RFC 8288), which may be relative. */
export function linkTo(headers: Headers, relation: string): string | undefined {
  // A comma may also stand in a target or in a title, but none of a petstore has a bracket after it.
  for (const link of (headers.get("link") ?? "").split(/,\s*(?=<)/)) {
    const [, target, parameters = ""] = /^\s*<([^>]*)>(.*)/.exec(link) ?? [];
    const [, relations = ""] = /;\s*rel\s*=\s*"?([^";]*)/i.exec(parameters) ?? [];
    if (relations.toLowerCase().trim().split(/\s+/).includes(relation)) return target;
  }
  return undefined;
}
