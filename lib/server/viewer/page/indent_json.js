/**
 * Indents JSON text, and keeps every number as it is written: `JSON.parse()` alone would round the
 * integers beyond 2^53. A browser that cannot do this leaves the text as it is.
 *
 * @param {unknown} json
 * @returns {string | undefined} It is undefined if the text is not JSON.
 */
export function indentJson(json) {
  const keepDigits = (_name, value, { source }) => typeof value === "number" ? JSON.rawJSON(source) : value;
  try {
    const value = JSON.parse(json, JSON.rawJSON && keepDigits);
    return JSON.rawJSON ? JSON.stringify(value, null, 2) : json;
  } catch {
    return undefined;
  }
}
