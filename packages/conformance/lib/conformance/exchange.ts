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
  /** The body of the request as text, as far as it is known. */
  body: string;
  /** The response. It is absent if none came. */
  response?: SeenResponse;
  /** Why the response is missing or not complete. */
  failure?: string;
}

/** The characters that no terminal may get: controls except the line feed, and those that are invisible or turn a text. */
const UNSHOWN = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu;

/** A text that any terminal, log or XML file may contain. */
export function visible(text: string): string {
  const escape = (character: string) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  };
  return text.replaceAll(UNSHOWN, escape);
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
 * Describes the request and the response, without the key. Credentials that a case has made from the key are hidden
 * too.
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
      return `${name}: ${shorten(hide(value, secrets, 1))}`;
    });
  const { pathname, search } = new URL(url);
  const texts = [describeMessage(">", `${method} ${show(pathname + search)}`, fieldsOf(headers), show(body))];
  if (response) {
    texts.push(describeMessage("<", String(response.status), fieldsOf(response.headers), show(response.text)));
  }
  if (failure !== undefined) texts.push(`< (${show(failure)})`);
  return texts.join("\n");
}

/** The shortest text that is hidden outside of header fields: a shorter one is part of other words. */
const LEAST = 8;

/** Replaces secrets, as they are and as JSON and addresses may have them. */
export function hide(text: string, secrets: readonly string[], least: number = LEAST): string {
  const forms = new Set(secrets.flatMap((secret) => [secret, ...encodingsOf(secret).filter(isLong)]));
  // The longest form comes first, because it may contain another one.
  const all = [...forms].filter(({ length }) => length >= least).sort((a, b) => b.length - a.length);
  return visible(all.reduce((shown, form) => shown.replaceAll(form, "<key>"), text));
}

function isLong({ length }: string): boolean {
  return length >= LEAST;
}

/** Lists how an ASCII text looks in JSON, in JSON within JSON, and in an address. */
function encodingsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [json, JSON.stringify(json).slice(1, -1), encodeURIComponent(text)];
}
