/** What a server says when it listens: a few lines for people, or a JSON object for a log. */

import { VERSION } from "../process/version.ts";
import type { FirstKey } from "../first_key/first_key.ts";

/** The facts that the greeting shows. */
export interface StartFacts {
  /** The address of the server without a path, such as `http://127.0.0.1:8000`. */
  origin: string;
  /** The address of the metrics, or undefined if there are none. */
  metricsUrl: string | undefined;
  /** The address of the store, without secrets. */
  store: string;
  isNewStore: boolean;
  key: FirstKey;
  /** Whether the description is served as a web page. */
  hasDocs: boolean;
}

export function greetAsJson({ origin, metricsUrl, store, isNewStore, key }: StartFacts): string {
  return JSON.stringify({
    time: new Date().toISOString(),
    message: "listens",
    version: VERSION,
    address: origin,
    metrics: metricsUrl,
    store,
    isNewStore,
    keys: key.note,
  });
}

export function greetAsText({ origin, metricsUrl, store, isNewStore, key, hasDocs }: StartFacts): string {
  const row = (name: string, value: string) => `  ${name.padEnd(11)}  ${value}`;
  return [
    `Petstore ${VERSION} listens on ${origin}/v1`,
    hasDocs ? row("page", `${origin}/docs`) : row("description", `${origin}/openapi.json`),
    ...(metricsUrl === undefined ? [] : [row("metrics", metricsUrl)]),
    row("store", isNewStore ? `${store} (new)` : store),
    row("API key", key.newKey === undefined ? key.note : `${key.newKey} (${key.note})`),
    row("try", `curl -H "Authorization: Bearer ${key.inShell}" ${origin}/v1/pets`),
  ].join("\n");
}
