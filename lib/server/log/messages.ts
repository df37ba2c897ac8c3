/** The texts that the server writes to standard output and standard error. */

import { targetOf } from "../../http/dispatch.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { VERSION } from "../../version.ts";
import { loggedTarget, shorten } from "./logged_target.ts";
import { type FileKey, KEY_FILE } from "../key_file.ts";

/** What a successful start shows. */
export interface StartFacts {
  hostname: string;
  port: number;
  /** Without secrets. */
  store: string;
  /** `undefined` if the settings contain keys. */
  key: FileKey | undefined;
  /** Whether the description is served as a web page. */
  hasDocs: boolean;
}

/** The same as a JSON object, without the key, which does not belong in a log. */
export function describeStartAsJson({ hostname, port, store, key }: StartFacts): string {
  const address = originOf(hostname, port);
  const keys = key === undefined ? "as set" : `in ${KEY_FILE}`;
  return JSON.stringify({ time: new Date().toISOString(), message: "listens", version: VERSION, address, store, keys });
}

function originOf(hostname: string, port: number): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

export function describeStart({ hostname, port, store, key, hasDocs }: StartFacts): string {
  const origin = originOf(hostname, port);
  const shown = key === undefined ? "as set" : key.isNew ? `${key.key} (new, kept in ${KEY_FILE})` : `in ${KEY_FILE}`;
  const pasted = key === undefined ? "<API_KEY>" : `$(cat ${KEY_FILE})`;
  return [
    `Petstore ${VERSION} listens on ${origin}/v1`,
    `  store        ${store}`,
    `  API key      ${shown}`,
    `  description  ${origin}/${hasDocs ? "docs" : "openapi.json"}`,
    `  try          curl -H "Authorization: Bearer ${pasted}" ${origin}/v1/pets`,
  ].join("\n");
}

/** The log line of a failed request. An unavailable store needs no stack trace; any other error is a bug and gets one. */
export function describeFailure(error: unknown, { method, url }: Request, requestId: string, isJson: boolean): string {
  const isBug = !(error instanceof StoreUnavailableError);
  const cause = error instanceof Error ? (isBug ? error.stack : error.message) : String(error);
  const facts = { method: shorten(method), target: loggedTarget(targetOf(url)) };
  const time = new Date().toISOString(), reason = withoutAdvice(String(cause));
  return isJson
    ? JSON.stringify({ time, requestId, ...facts, message: "The request failed", error: reason })
    : `${time} ${requestId} ${facts.method} ${facts.target} failed: ${reason}`;
}

/** A line of text as a JSON object. A line that is one already stays as it is. */
export function asJsonLine(line: string): string {
  if (line.startsWith("{")) return line;
  return JSON.stringify({ time: new Date().toISOString(), message: line.replace(/^petstore: /, "") });
}

/** Escapes line ends and control characters, which a setting may contain. */
export function oneLine(message: string): string {
  return withoutAdvice(message)
    .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/**
 * Removes Deno's advice to grant a permission. The server lacks it on purpose; the actual mistake is in the given path or
 * address.
 */
function withoutAdvice(message: string): string {
  return message.replaceAll(/, run again with the --allow-[a-z-]+ flag/g, ", which the server was started without");
}
