/** The request and the response that made a case fail, as text. */

import type { SeenResponse } from "../http/api.ts";

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
}

/** The characters that no terminal may get: controls except the line feed, and those that are invisible or turn a text. */
const UNSHOWN = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu;

/** The shortest secret that is hidden: a shorter one is part of other words. */
const LEAST = 8;

/**
 * Shows the beginning of a text, without secrets, also as JSON and addresses have them, and without the characters that no terminal may get.
 *
 * @param most How many characters are shown.
 */
export function show(text: string, secrets: readonly string[], most: number): string {
  for (const secret of secrets.filter(({ length }) => length >= LEAST)) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      text = text.replaceAll(form, "<key>");
    }
  }
  text = text.replaceAll(UNSHOWN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  // It is cut after the secrets are hidden, because a part of one could not be found.
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (${text.length} characters)`;
}

/** Describes the request and the response, without the key, and without credentials that a case has made from it. */
export function describeExchange({ method, url, headers, body, response, failure }: Exchange, key: string): string {
  const credentials = (headers.get("authorization") ?? "").replace(/^\w+ /, "");
  const secrets = [key, credentials];
  const { pathname, search } = new URL(url);
  const messages = [marked(">", messageText(`${method} ${pathname}${search}`, headers, body), secrets)];
  if (response) messages.push(marked("<", messageText(`${response.status}`, response.headers, response.text), secrets));
  if (failure) messages.push(marked("<", `(${failure})`, secrets));
  return messages.join("\n");
}

function messageText(firstLine: string, headers: Headers, body: string): string {
  const fields = Array.from(headers, ([name, value]) => `${name}: ${value}\n`);
  return `${firstLine}\n${fields.join("")}\n${body}`;
}

/** What is shown of a text, with a mark before each line. */
function marked(mark: string, text: string, secrets: readonly string[]): string {
  return show(text, secrets, SHOWN).trimEnd().split("\n").map((line) => `${mark} ${line}`.trimEnd()).join("\n");
}
