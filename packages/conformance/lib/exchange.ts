/** Sends the requests of a case to a server, and describes the last one, with what came back, as text. */

import type { Handle, SeenResponse, SentRequest } from "./http/api.ts";

/** How much of a request and of a response is shown, in characters. */
const SHOWN = 4_000;

/** What the reason of a case begins with if its last request got no whole response. */
export const NO_RESPONSE = "no whole response";

/** The server under test. */
export interface ConformanceTarget {
  /** The base address of the API, such as `https://api.example/v1`. */
  baseUrl: string;
  /** A key that may read and write. */
  key: string;
  /**
   * Sends a request. It must follow no redirection of its `redirect: "manual"`. Default: the
   * `fetch` of the runtime.
   */
  fetch?: Handle;
  /** The time limit of a request and its response, in milliseconds. Default: 10000. */
  timeoutMs?: number;
  /** Called with the id of each pet that a response says was added. */
  onCreate?: (id: bigint) => void;
}

/** A request, and what came back. */
export interface Exchange {
  method: string;
  url: string;
  headers: Headers;
  /** The body of the request, or empty if it is no text. */
  body: string;
  /** The response. It is absent if none came, and has no text if its body did not come to its end. */
  response?: SeenResponse;
  /** Why the response is missing or not complete. */
  failure?: string;
  /**
   * Whether the connection was lost before the response began. That may be no fault of the server:
   * it may close a connection between two requests at any time, also when the next one is already
   * on its way (RFC 9112 §9.5).
   */
  hasLostConnection?: boolean;
}

/** The requests of one case. */
export interface Recorder {
  /** The exchange that was begun last. */
  last?: Exchange;
}

/** Sends a request, notes what comes back, as far as it does, and tells `onCreate` of the pet that was added. */
export async function exchange(
  { fetch: send = fetch, timeoutMs = 10_000, onCreate }: ConformanceTarget,
  recorder: Recorder,
  url: string,
  { body, ...init }: SentRequest,
): Promise<SeenResponse> {
  const current: Exchange = { ...init, url, body: typeof body === "string" ? body : "" };
  recorder.last = current;
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(new Error(`none within ${timeoutMs} ms`)), timeoutMs);
  // The signal of a request does not always end it: Node may drop the link between the two.
  const expired = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const receive = async () => {
    // A redirection could lead to another server, which must not get the key.
    const response = await send(new Request(url, { ...init, ...body && { body }, redirect: "manual", signal }));
    const { status, headers, ok } = response;
    current.response = { status, headers, text: "" };
    // The decoder keeps a byte-order mark, because JSON may not begin with one.
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
    current.response.text = text;
    const [, id] = /"id"\s*:\s*(-?\d+)/.exec(text) ?? [];
    if (init.method === "POST" && ok && id !== undefined) onCreate?.(BigInt(id));
    return current.response;
  };
  try {
    return await Promise.race([expired, receive()]);
  } catch (error) {
    current.failure = `${NO_RESPONSE}: ${reasonOf(error as Error)}`;
    current.hasLostConnection = !signal.aborted && !current.response;
    throw new Error(current.failure);
  } finally {
    clearTimeout(timer);
  }
}

/** Node says only "fetch failed", and has the reason in the cause. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message;
}

/** Describes the request and the response, without the key, and without credentials that a case has made from it. */
export function describeExchange({ method, url, headers, body, response, failure }: Exchange, key: string): string {
  const credentials = (headers.get("authorization") ?? "").replace(/^\w+ /, "");
  const { pathname, search } = new URL(url);
  const lines: string[] = [];
  /** Puts a mark before each line. */
  const add = (mark: string, text: string) => {
    const shown = show(text, [key, credentials], SHOWN).trimEnd();
    lines.push(...shown.split("\n").map((line) => `${mark} ${line}`.trimEnd()));
  };
  add(">", messageText(`${method} ${pathname}${search}`, headers, body));
  if (response) add("<", messageText(`${response.status}`, response.headers, response.text));
  if (failure) add("<", `(${failure})`);
  return lines.join("\n");
}

function messageText(firstLine: string, headers: Headers, body: string): string {
  const fields = Array.from(headers, ([name, value]) => `${name}: ${value}\n`);
  return `${firstLine}\n${fields.join("")}\n${body}`;
}

/**
 * The characters that no terminal may get: controls except the line feed, and those that are
 * invisible or turn a text.
 */
const UNSHOWN = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu;

/** The shortest secret that is hidden: a shorter one is part of other words. */
const LEAST = 8;

/**
 * Makes a text of the server, or one with the key, fit to be shown. Replaces secrets, also as JSON
 * and addresses have them, and the characters that no terminal may get, and then shortens the text:
 * a part of a secret could not be found.
 */
export function show(text: string, secrets: readonly string[], most: number): string {
  let shown = text;
  for (const secret of secrets.filter(({ length }) => length >= LEAST)) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      shown = shown.replaceAll(form, "<key>");
    }
  }
  shown = shown.replaceAll(UNSHOWN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  return shown.length <= most ? shown : `${shown.slice(0, most).toWellFormed()}… (${shown.length} characters)`;
}
