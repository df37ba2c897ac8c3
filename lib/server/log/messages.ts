/** What the server says on its standard output and standard error. */

import { targetOf } from "../../http/routing.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { VERSION } from "../../version.ts";
import { loggedTarget, shorten } from "./access_log.ts";
import { type FileKey, KEY_FILE } from "../key_file.ts";

/** What a start that went well shows of itself. */
export interface StartFacts {
  hostname: string;
  port: number;
  /** The store, as it may be shown. */
  store: string;
  /** None if keys were set. */
  key: FileKey | undefined;
  hasDocs: boolean;
}

/** The lines of a start that went well. */
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

/** An unavailable store is the world's fault and worth a line; anything else is ours and worth the trace. */
export function describeFailure(error: unknown, { method, url }: Request): string {
  const isOurs = !(error instanceof StoreUnavailableError);
  const what = error instanceof Error ? (isOurs ? error.stack : error.message) : String(error);
  return `${new Date().toISOString()} ${shorten(method)} ${loggedTarget(targetOf(url))} failed: ${
    withoutAdvice(String(what))
  }`;
}

/** Whatever a setting had in it, a message is one line and does nothing to a terminal. */
export function oneLine(message: string): string {
  return withoutAdvice(message)
    .replace(/[\p{Cc}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/**
 * A message without Deno's advice to grant a permission: those that are missing were left out on purpose, and what is
 * wrong is the path or the address that was given.
 */
function withoutAdvice(message: string): string {
  return message.replaceAll(/, run again with the --allow-[a-z-]+ flag/g, ", which the server was started without");
}
