/** Texts of messages, each on one line and with visible characters alone. */

/** A host and a port as in a URL, with an IPv6 address in brackets. */
export function formatAddress({ hostname, port }: { hostname: string; port: number }): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/** Formats a number of pets for messages. */
export function formatPetCount(count: number | bigint): string {
  return Number(count) === 1 ? "1 pet" : `${count} pets`;
}

/** A line of text as a JSON object. A JSON object stays as it is. */
export function asJsonLine(line: string): string {
  if (line.startsWith("{")) return line;
  return JSON.stringify({ time: new Date().toISOString(), message: line.replace(/^petstore: /, "") });
}

/** What Deno says of a variable that is not UTF-8, with its value, which may be a password. */
const VARIABLE_SHOWN = /(environment variable was not valid unicode): .*/;

/** Escapes line ends and control characters, which a setting may contain. */
export function oneLine(message: string): string {
  return withoutAdvice(message).replace(VARIABLE_SHOWN, "$1")
    .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => quoteVisibly(character).slice(1, -1));
}

/**
 * A JSON string without the characters that JSON leaves as they are and that some readers take for a line end or a command: DEL, the
 * controls from U+0080 on, and the line ends of Unicode.
 */
export function quoteVisibly(text: string): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, escape);
}

/**
 * Removes Deno's advice to grant a permission. The server lacks it on purpose; the actual mistake is in the given path or
 * address.
 */
export function withoutAdvice(message: string): string {
  return message.replaceAll(/, run again with the --allow-[a-z]+ flag/g, ", which the server was started without");
}
