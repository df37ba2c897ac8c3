/** Texts of messages, each on one line and with visible characters alone. */

/** A host and a port as in a URL, with an IPv6 address in brackets. */
export function formatAddress({ hostname, port }: { hostname: string; port: number }): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/** Formats a number of pets for messages. */
export function formatPetCount(count: number | bigint): string {
  return Number(count) === 1 ? "1 pet" : `${count} pets`;
}

/** A line of the log as a JSON object. A line that begins with a brace is one already. */
export function asJsonLine(line: string): string {
  if (line.startsWith("{")) return line;
  return JSON.stringify({ time: new Date().toISOString(), message: line.replace(/^petstore: /, "") });
}

/** A message without Deno's advice, on one line. A setting or a text of another program may contain line ends. */
export function oneLine(message: string): string {
  return escapeUnseen(withoutAdvice(message));
}

/** Text as a JSON string, in which every character can be seen. */
export function quoteVisibly(text: string): string {
  return escapeUnseen(JSON.stringify(text));
}

/**
 * Turns characters that cannot be seen, or that some readers take for a line end or a command, into
 * escape sequences of JSON: controls, Unicode's line ends, and format characters such as a byte
 * order mark.
 */
function escapeUnseen(text: string): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (each) => each.split("").map(escapeUnit).join(""));
}

/**
 * Replaces Deno's advice to grant a permission. The server lacks the permission on purpose, and the
 * actual mistake is in the given path or address.
 */
export function withoutAdvice(message: string): string {
  return message.replaceAll(/, run again with the --allow-[a-z]+ flag/g, ", which the server was started without");
}
