/**
 * Indents JSON text as `JSON.stringify(value, null, 2)` does, but keeps every number and string as it is written: parsing
 * would round the integers beyond 2^53.
 *
 * @param {string} json Is valid JSON.
 * @returns {string}
 */
export function indentJson(json) {
  let depth = 0;
  const newLine = () => "\n" + "  ".repeat(depth);
  return json.replace(/"(?:[^"\\]|\\[^])*"?|\[\s*\]|\{\s*\}|\s+|[[\]{},:]/g, (token) => {
    if (token.startsWith('"')) return token;
    // The token is white space, which is removed, or an empty array or object, which loses the white space within it.
    if (token.length > 1 || token.trim() === "") return token.replace(/\s+/g, "");
    if (token === ":") return ": ";
    if (token === ",") return "," + newLine();
    const isOpening = token === "[" || token === "{";
    depth += isOpening ? 1 : -1;
    return isOpening ? token + newLine() : newLine() + token;
  });
}
