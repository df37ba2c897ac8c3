/** The texts that the server writes to standard output and standard error. */

import type { ErrorInfo } from "../../http/recovery.ts";
import { targetOf } from "../../http/request_text.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { VERSION } from "../process/version.ts";
import { formatAddress, withoutAdvice } from "../process/lines.ts";
import { loggedMethod, loggedTarget } from "./logged_target.ts";
import type { FirstKey } from "../first_key/first_key.ts";
import { KEY_FILE } from "../first_key/key_file.ts";

/** The facts that the greeting shows. */
export interface StartFacts {
  hostname: string;
  port: number;
  /** The address of the store, without secrets. */
  store: string;
  isNewStore: boolean;
  key: FirstKey;
  /** Whether the description is served as a web page. */
  hasDocs: boolean;
  /** The address of the metrics, or undefined if there are none. */
  metrics: { hostname: string; port: number } | undefined;
}

/** The greeting of a server: a few lines for people, or a JSON object, which has no key, because a key does not belong in a log. */
export function describeStart(
  { hostname, port, store, isNewStore, key, hasDocs, metrics }: StartFacts,
  isJson: boolean,
): string {
  const origin = `http://${formatAddress({ hostname, port })}`;
  const metricsUrl = metrics && `http://${formatAddress(metrics)}/metrics`;
  if (isJson) {
    const facts = { version: VERSION, address: origin, metrics: metricsUrl, store, isNewStore, keys: keyNote(key) };
    return JSON.stringify({ time: new Date().toISOString(), message: "listens", ...facts });
  }
  // The command can be pasted into a shell as it is, if the key is in a file or was made for this run.
  const bearer = key.location === "file" ? `$(cat ${KEY_FILE})` : key.key ?? "<API_KEY>";
  const row = (name: string, value: string) => `  ${name.padEnd(11)}  ${value}`;
  return [
    `Petstore ${VERSION} listens on ${origin}/v1`,
    hasDocs ? row("page", `${origin}/docs`) : row("description", `${origin}/openapi.json`),
    ...(metricsUrl === undefined ? [] : [row("metrics", metricsUrl)]),
    row("store", isNewStore ? `${store} (new)` : store),
    row("API key", key.note),
    row("try", `curl -H "Authorization: Bearer ${bearer}" ${origin}/v1/pets`),
  ].join("\n");
}

/** Says in JSON where the key is. The note of a new key has the key itself, so it is not used. */
function keyNote({ location, note }: FirstKey): string {
  if (location === "file") return `in ${KEY_FILE}`;
  return location === "memory" ? "new" : note;
}

/**
 * The log line of a failed request. An unavailable store needs no stack trace; any other error is a bug and gets one.
 *
 * @param times How many failures of this kind the line stands for.
 */
export function describeFailure({ error, request, requestId }: ErrorInfo, isJson: boolean, times = 1): string {
  const { method, url } = request;
  const reason = withoutAdvice(reasonOf(error));
  const time = new Date().toISOString();
  const facts = { time, requestId, method: loggedMethod(method), target: loggedTarget(targetOf(url)) };
  if (isJson) {
    return JSON.stringify({ ...facts, message: "The request failed", error: reason, ...times > 1 && { times } });
  }
  return `${Object.values(facts).join(" ")} failed: ${reason}${times > 1 ? ` (${times} times)` : ""}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return String(error instanceof StoreUnavailableError ? error.message : error.stack);
}
