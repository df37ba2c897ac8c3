/** The target of a request: path and query. */

/** The path and query of a URL; `""` if it has no path. */
export function targetOf(url: string): string {
  const colon = url.indexOf("://");
  // On Bun, the URL is only a path if the Host header is invalid.
  if (colon < 0 || url.startsWith("/")) return "";
  const start = url.indexOf("/", colon + 3);
  const question = url.indexOf("?");
  const fragment = url.indexOf("#");
  // A slash after a question mark belongs to the query.
  if (start < 0 || (question >= 0 && question < start) || (fragment >= 0 && fragment < start)) return "";
  return fragment < 0 ? url.slice(start) : url.slice(start, fragment);
}

/** Splits a target into the path and the query, which loses its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const question = target.indexOf("?");
  if (question < 0) return { path: target, query: "" };
  return { path: target.slice(0, question), query: target.slice(question + 1) };
}
