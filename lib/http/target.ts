/** On Bun, the URL is only a path without a valid Host header. A slash after `?` belongs to the query. */
const TARGET = /^(?:[^/?#]*:\/\/[^/?#]*)?(\/[^#]*)/;

/** `""` without a path. */
export function targetOf(url: string): string {
  return TARGET.exec(url)?.[1] ?? "";
}

/** Splits a target into the path and the query, which loses its question mark. */
export function splitTarget(target: string): { path: string; query: string } {
  const question = target.indexOf("?");
  if (question < 0) return { path: target, query: "" };
  return { path: target.slice(0, question), query: target.slice(question + 1) };
}
