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

/** The shortest text that is hidden: a shorter one is part of other words. */
const LEAST = 8;

/** Replaces secrets, and the characters that no terminal may get. */
export function hide(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter(({ length }) => length >= LEAST).flatMap(formsOf);
  // The longest comes first, because it may contain others.
  forms.sort((a, b) => b.length - a.length);
  const hidden = forms.reduce((shown, form) => shown.replaceAll(anyCase(form), "<key>"), text);
  return hidden.replaceAll(UNSHOWN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Finds a text in any case: `Headers` put the names of fields into lower case. */
function anyCase(text: string): RegExp {
  return new RegExp(text.replaceAll(/\W/g, "\\$&"), "gi");
}

/** A secret as it is, in JSON, in an address, and in base64 behind any text, such as "Bearer ". */
function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  for (const before of ["", " ", "  "]) {
    // The first and the last character may depend on what is around the secret, too.
    const [first, end] = [before.length, before.length + secret.length].map((bytes) => bytes * 4 / 3);
    forms.push(btoa(before + secret).slice(Math.ceil(first!), Math.floor(end!)));
  }
  return forms;
}

/** Describes the request and the response, without the key, and without credentials that a case has made from it. */
export function describeExchange({ method, url, headers, body, response, failure }: Exchange, key: string): string {
  const credentials = headers.get("authorization") ?? "";
  const secrets = [key, credentials.replace(/^\w+ /, "")];
  const show = (text: string) => {
    const shown = hide(text, secrets);
    return shown.length <= SHOWN ? shown : `${shown.slice(0, SHOWN)}… (${shown.length} characters)`;
  };
  const message = (mark: string, first: string, fields: readonly [string, string][], body: string) =>
    [
      first,
      ...fields.map(([name, value]) => `${show(name)}: ${show(value)}`),
      "",
      ...body === "" ? [] : show(body).split("\n"),
    ]
      .map((line) => `${mark} ${line}`.trimEnd());
  const sent = new Headers(headers);
  if (credentials !== "") {
    sent.set("authorization", credentials === `Bearer ${key}` ? "Bearer <key>" : "<other credentials>");
  }
  const { pathname, search } = new URL(url);
  return [
    ...message(">", `${method} ${show(pathname + search)}`, [...sent], body),
    ...response ? message("<", String(response.status), [...response.headers], response.text) : [],
    ...failure === undefined ? [] : [`< (${show(failure)})`],
  ].join("\n");
}
