/** The target of the first link with this relation, which may be relative. */
export function linkTo(headers: Headers, relation: string): string | undefined {
  // What is not closed goes to the end, so this takes linear time.
  const parts = /<([^>]*)>?|,|;\s*([^\s=;,<"]+)\s*(?:=\s*("(?:[^"\\]|\\.?)*"?|[^\s;,<"]*))?/g;
  const text = headers.get("link") ?? "";
  let target: string | undefined;
  let relations: string | undefined;
  for (let found; (found = parts.exec(text));) {
    const [part, address, name, value = ""] = found;
    if (part === ",") target = relations = undefined;
    target ??= address;
    if (name?.toLowerCase() !== "rel") continue;
    // Only the first `rel` of a link counts.
    relations ??= value.replace(/\\(.)|"/g, "$1").toLowerCase();
    if (relations.split(/\s/).includes(relation)) return target;
  }
  return undefined;
}
