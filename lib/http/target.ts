/**
 * The path and the query of a URL. On Bun, the URL is only a path if there is no valid Host header. A slash after `?`
 * belongs to the query.
 */
const TARGET = /^(?:[^/?#]*:\/\/[^/?#]*)?(\/[^#]*)/;

/** The target of a request: the path and the query of its URL, or `""` if it has no path. */
export function targetOf(url: string): string {
  return TARGET.exec(url)?.[1] ?? "";
}

/** Splits a target into the path and the query, which loses its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const question = target.indexOf("?");
  if (question < 0) return { path: target, query: "" };
  return { path: target.slice(0, question), query: target.slice(question + 1) };
}
