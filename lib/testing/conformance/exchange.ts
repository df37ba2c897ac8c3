/** The request and the response that made a case fail, as text. */

import type { SeenResponse } from "../http/api.ts";

/** The longest body, and the longest value of a header field, that is shown. */
const SHOWN = 2_000;
const SHOWN_FIELDS = 50;

/** A request, and what came back. */
export interface Exchange {
  method: string;
  url: string;
  headers: Headers;
  /** As much of it as is known. */
  body: string;
  /** Absent if none came. */
  response?: SeenResponse;
  /** Why the response is missing or not complete. */
  failure?: string;
}

/** Control characters, but LF, and characters that change the direction of a text: a terminal or XML must not get them. */
// deno-lint-ignore no-control-regex
const UNSHOWN = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g;

/** A text that any terminal, log or XML file may contain. */
export function visible(text: string): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.toWellFormed().replaceAll(UNSHOWN, escape);
}

function shorten(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters)`;
}

/** @param fields Of the head. */
function describeMessage(mark: string, first: string, fields: readonly string[], body: string): string {
  const lines = [first, ...fields.slice(0, SHOWN_FIELDS), "", ...(body === "" ? [] : shorten(body).split("\n"))];
  return lines.map((line) => `${mark} ${line}`.trimEnd()).join("\n");
}

/**
 * Both messages, without the key. Credentials that a case has made from the key are hidden too.
 *
 * @param key The key that must not be shown.
 */
export function describeExchange({ method, url, headers, body, response, failure }: Exchange, key: string): string {
  const credentials = headers.get("authorization");
  const isRight = credentials === `Bearer ${key}`;
  const secrets = isRight || credentials === null ? [key] : [key, credentials.replace(/^\w+ /, "")];
  const show = (text: string) => hide(text, secrets);
  const fieldsOf = (all: Headers) =>
    Array.from(all, ([name, value]) => {
      if (all === headers && name === "authorization") {
        return `${name}: ${isRight ? "Bearer <key>" : "<other credentials>"}`;
      }
      return `${name}: ${shorten(show(value))}`;
    });
  const { pathname, search } = new URL(url);
  const texts = [describeMessage(">", `${method} ${show(pathname + search)}`, fieldsOf(headers), show(body))];
  if (response) {
    texts.push(describeMessage("<", String(response.status), fieldsOf(response.headers), show(response.text)));
  }
  if (failure !== undefined) texts.push(`< (${show(failure)})`);
  return texts.join("\n");
}

/** Replaces secrets, the longest first because one may contain another. */
export function hide(text: string, secrets: readonly string[]): string {
  const isLong = (secret: string, i: number) => secret.length > (i === 0 ? 0 : 7);
  const all = secrets.filter(isLong).sort((a, b) => b.length - a.length);
  return visible(all.reduce((shown, secret) => shown.replaceAll(secret, "<key>"), text));
}
