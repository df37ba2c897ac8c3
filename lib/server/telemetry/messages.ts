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
  /** Where the metrics are. Undefined if there are none. */
  metrics: { hostname: string; port: number } | undefined;
}

/** The greeting. As a JSON object it is without the key, which does not belong in a log. */
export function describeStart(
  { hostname, port, store, isNewStore, key, hasDocs, metrics }: StartFacts,
  isJson: boolean,
): string {
  const origin = `http://${formatAddress({ hostname, port })}`;
  const metricsUrl = metrics && `http://${formatAddress(metrics)}/metrics`;
  if (isJson) {
    const keys = key.location === "file" ? `in ${KEY_FILE}` : key.location === "memory" ? "new" : key.note;
    const facts = { version: VERSION, address: origin, metrics: metricsUrl, store, isNewStore, keys };
    return JSON.stringify({ time: new Date().toISOString(), message: "listens", ...facts });
  }
  // The key as a shell command can use it: read from its file, if it is in one.
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

/**
 * The log line of a failed request. An unavailable store needs no stack trace; any other error is a bug and gets one.
 *
 * @param times How many requests it stands for.
 */
export function describeFailure({ error, request, requestId }: ErrorInfo, isJson: boolean, times = 1): string {
  const { method, url } = request;
  const isBug = !(error instanceof StoreUnavailableError);
  const cause = error instanceof Error ? (isBug ? error.stack : error.message) : String(error);
  const time = new Date().toISOString(), reason = withoutAdvice(String(cause));
  const facts = { time, requestId, method: loggedMethod(method), target: loggedTarget(targetOf(url)) };
  if (isJson) {
    return JSON.stringify({ ...facts, message: "The request failed", error: reason, ...times > 1 && { times } });
  }
  return `${Object.values(facts).join(" ")} failed: ${reason}${times > 1 ? ` (${times} times)` : ""}`;
}
