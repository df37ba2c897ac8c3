/** Requests that have no right key where the key belongs, in the dresses in which servers let them in. */

import type { Api, RequestParts } from "./api.ts";
import { mistyped } from "./specification_requests.ts";

/** How a request differs from one with the key. */
export interface Dress {
  /** The end of a sentence that begins with "With". */
  what: string;
  parts: RequestParts;
  /** Members of the query, such as `status=sold`. */
  query?: string;
}

const NAMES_OF_KEYS = ["key", "api_key", "apikey", "access_token", "token", "authorization"];
const FIELDS_OF_KEYS = ["x-api-key", "api-key", "x-auth-token", "x-access-token", "x-authorization"];

/** What a list, a cache, a proxy, a browser or a monitor sends. None of it replaces a key. */
const QUERIES = [
  ...["status=sold&limit=5", "status=available", "limit=1", "cursor=1", "page=1", "offset=0", "admin=true", "debug=1"],
];
const FIELDS: Record<string, string> = {
  "if-none-match": "*",
  "if-match": "*",
  "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT",
  "idempotency-key": "7f3c",
  "x-forwarded-for": "127.0.0.1",
  "x-real-ip": "127.0.0.1",
  forwarded: "for=127.0.0.1",
  "x-forwarded-proto": "https",
  "x-http-method-override": "OPTIONS",
  "x-requested-with": "XMLHttpRequest",
  "x-original-url": "/livez",
  origin: "https://app.example",
  referer: "https://app.example/",
  range: "bytes=0-",
  accept: "text/html",
  "user-agent": "kube-probe/1.31",
};

/** @param length A part of the key that is shorter than two characters may be all of it. */
function partsOf(key: string): string[] {
  const lengths = [1, key.length >> 1, key.length - 1].filter((length) => length > 0 && length < key.length);
  return [...lengths.map((length) => key.slice(0, length)), ...lengths.map((length) => key.slice(-length))];
}

/** The first letter that has two cases, in the other. */
function inOtherCase(key: string): string {
  const change = (letter: string) => letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
  return key.replace(/[A-Za-z]/, change);
}

/** Requests without a key, with a wrong one, or with the right one in a wrong place. */
export function dressesOf({ key }: Api): Dress[] {
  const reversed = Array.from(key).reverse().join("");
  const wrong = [
    ...["null", "undefined", "true", "*", "admin", "test", "Bearer", "0", "x".repeat(key.length)],
    ...[`${key}x`, `x${key}`, `${key}${key}`, `${key},x`, `x,${key}`, `"${key}"`, mistyped(key), reversed],
    ...[...partsOf(key), key.toUpperCase(), key.toLowerCase(), inOtherCase(key)],
  ].filter((each) => each !== key);
  const credentials = [
    ...new Set(wrong.map((each) => `Bearer ${each}`)),
    ...["Bearer", key, `Basic ${btoa(`user:${key}`)}`, `Basic ${btoa(`${key}:`)}`],
    ...["Basic", "Token", "ApiKey", "Digest", "BearerX"].map((scheme) => `${scheme} ${key}`),
  ];
  const withoutKey = { key: null };
  return [
    { what: "no key", parts: withoutKey },
    ...credentials.map((authorization) => ({ what: "wrong credentials", parts: { headers: { authorization } } })),
    ...NAMES_OF_KEYS.map((name) => ({
      what: `the key as ${name} of the query`,
      parts: withoutKey,
      query: `${name}=${encodeURIComponent(key)}`,
    })),
    ...FIELDS_OF_KEYS.map((name) => ({
      what: `the key in ${name}`,
      parts: { key: null, headers: { [name]: key } },
    })),
    ...["key", "token", "session", "authorization"].map((name) => ({
      what: `the key in the cookie ${name}`,
      parts: { key: null, headers: { cookie: `${name}=${encodeURIComponent(key)}` } },
    })),
    ...QUERIES.map((query) => ({ what: `${query} and no key`, parts: withoutKey, query })),
    ...Object.entries(FIELDS).map(([name, value]) => ({
      what: `${name} and no key`,
      parts: { key: null, headers: { [name]: value } },
    })),
  ];
}
