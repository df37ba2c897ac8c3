/** The texts that the server writes to standard output and standard error. */

import { targetOf } from "../../http/routing.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { VERSION } from "../../version.ts";
import { loggedTarget, shorten } from "./access_log.ts";
import { type FileKey, KEY_FILE } from "../key_file.ts";

/** The facts that a successful start shows. */
export interface StartFacts {
  hostname: string;
  port: number;
  /** The store without its secrets. */
  store: string;
  /** `undefined` if the settings have keys. */
  key: FileKey | undefined;
  /** Whether the description is served as a web page. */
  hasDocs: boolean;
}

/** The lines of a successful start. */
export function describeStart({ hostname, port, store, key, hasDocs }: StartFacts): string {
  const origin = `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
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

/** The line of a failed request. An unavailable store needs no stack trace; anything else is a bug and does. */
export function describeFailure(error: unknown, { method, url }: Request): string {
  const isBug = !(error instanceof StoreUnavailableError);
  const cause = error instanceof Error ? (isBug ? error.stack : error.message) : String(error);
  const request = `${shorten(method)} ${loggedTarget(targetOf(url))}`;
  return `${new Date().toISOString()} ${request} failed: ${withoutAdvice(String(cause))}`;
}

/** Escapes line ends and the control characters of terminals, which a setting may hold. */
export function oneLine(message: string): string {
  return withoutAdvice(message)
    .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/**
 * Removes Deno's advice to grant a permission. The missing ones were left out on purpose: the fault is in the path or the
 * address that was given.
 */
function withoutAdvice(message: string): string {
  return message.replaceAll(/, run again with the --allow-[a-z-]+ flag/g, ", which the server was started without");
}
