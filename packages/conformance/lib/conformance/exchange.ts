/** The request and the response that made a case fail, as text. */

import type { SeenResponse } from "../http/api.ts";

/** The longest body, and the longest value of a header field, that is shown. */
const SHOWN = 2_000;

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

/** Replaces secrets, also as JSON and addresses have them, and the characters that no terminal may get. */
export function hide(text: string, secrets: readonly string[]): string {
  for (const secret of secrets.filter(({ length }) => length >= LEAST)) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      text = text.replaceAll(form, "<key>");
    }
  }
  return text.replaceAll(UNSHOWN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Describes the request and the response, without the key, and without credentials that a case has made from it. */
export function describeExchange({ method, url, headers, body, response, failure }: Exchange, key: string): string {
  const credentials = headers.get("authorization") ?? "";
  const secrets = [key, credentials.replace(/^\w+ /, "")];
  const show = (text: string) => {
    const shown = hide(text, secrets);
    return shown.length <= SHOWN ? shown : `${shown.slice(0, SHOWN)}… (${shown.length} characters)`;
  };
  const message = (mark: string, first: string, fields: Headers, body: string) => {
    const head = Array.from(fields, ([name, value]) => `${show(name)}: ${show(value)}`);
    const lines = [first, ...head, "", ...body === "" ? [] : show(body).split("\n")];
    return lines.map((line) => `${mark} ${line}`.trimEnd());
  };
  const { pathname, search } = new URL(url);
  return [
    ...message(">", `${method} ${show(pathname + search)}`, headers, body),
    ...response ? message("<", String(response.status), response.headers, response.text) : [],
    ...failure === undefined ? [] : [`< (${show(failure)})`],
  ].join("\n");
}
