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

/** The greeting of a server: a few lines for people, or a JSON object for a log. */
export function describeStart(facts: StartFacts, isJson: boolean): string {
  return isJson ? startAsJson(facts) : startAsText(facts);
}

function startAsJson(facts: StartFacts): string {
  const { store, isNewStore, key } = facts;
  return JSON.stringify({
    time: new Date().toISOString(),
    message: "listens",
    version: VERSION,
    address: originOf(facts),
    metrics: metricsUrlOf(facts),
    store,
    isNewStore,
    keys: loggedNote(key),
  });
}

/** Says where the key is. The note of a new key has the key itself, which does not belong in a log. */
function loggedNote({ location, note }: FirstKey): string {
  if (location === "file") return `in ${KEY_FILE}`;
  return location === "memory" ? "new" : note;
}

function startAsText(facts: StartFacts): string {
  const { store, isNewStore, key, hasDocs } = facts;
  const origin = originOf(facts);
  const metricsUrl = metricsUrlOf(facts);
  const row = (name: string, value: string) => `  ${name.padEnd(11)}  ${value}`;
  return [
    `Petstore ${VERSION} listens on ${origin}/v1`,
    hasDocs ? row("page", `${origin}/docs`) : row("description", `${origin}/openapi.json`),
    ...(metricsUrl === undefined ? [] : [row("metrics", metricsUrl)]),
    row("store", isNewStore ? `${store} (new)` : store),
    row("API key", key.note),
    row("try", `curl -H "Authorization: Bearer ${keyForShell(key)}" ${origin}/v1/pets`),
  ].join("\n");
}

/** The key as a shell takes it. A command with it can be pasted as it is, if the key is in a file or was made for this run. */
function keyForShell({ location, key }: FirstKey): string {
  if (location === "file") return `$(cat ${KEY_FILE})`;
  return key ?? "<API_KEY>";
}

function originOf({ hostname, port }: StartFacts): string {
  return `http://${formatAddress({ hostname, port })}`;
}

function metricsUrlOf({ metrics }: StartFacts): string | undefined {
  return metrics && `http://${formatAddress(metrics)}/metrics`;
}

/**
 * The log line of a failed request.
 *
 * @param times How many failures of this kind the line stands for.
 */
export function describeFailure({ error, request, requestId }: ErrorInfo, isJson: boolean, times = 1): string {
  const { method, url } = request;
  const reason = withoutAdvice(describeError(error));
  const time = new Date().toISOString();
  const facts = { time, requestId, method: loggedMethod(method), target: loggedTarget(targetOf(url)) };
  if (isJson) {
    return JSON.stringify({ ...facts, message: "The request failed", error: reason, ...(times > 1 && { times }) });
  }
  return `${Object.values(facts).join(" ")} failed: ${reason}${times > 1 ? ` (${times} times)` : ""}`;
}

/** An unavailable store needs no stack trace. Any other error is a bug and gets one. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return String(error instanceof StoreUnavailableError ? error.message : error.stack);
}
