/** Texts of a client, as a message shows them. */

/** Shortens a text, so that a long request does not cause a long response. */
export function excerpt(text: string, length = 64): string {
  return text.length <= length ? text : text.slice(0, length).toWellFormed() + "…";
}

/** Shortens a text, and puts it in quotes. */
export function quoted(text: string): string {
  return JSON.stringify(excerpt(text));
}
