/** The request and the response that made a case fail, as text. */

import type { SeenResponse } from "../http/api.ts";
import { show } from "../shown_text.ts";

/** How much of a request and of a response is shown, in characters. */
const SHOWN = 4_000;

/** A request, and what came back. */
export interface Exchange {
  method: string;
  url: string;
  headers: Headers;
  /** The body of the request, or empty if it is no text. */
  body: string;
  /** The response. It is absent if none came. */
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
