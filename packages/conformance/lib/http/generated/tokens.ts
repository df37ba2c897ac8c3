/** Tokens that are not the key, but are taken for it by servers that decode, cut, search or compare it in a wrong way. */

import type { Random } from "./random.ts";

/** Words that stand for everybody, for nothing, for a pattern, or for a member that every object has. */
const WORDS = [
  "null",
  "undefined",
  "nil",
  "None",
  "true",
  "false",
  "0",
  "1",
  "-1",
  "NaN",
  "{}",
  "[]",
  '""',
  "[object Object]",
  "*",
  "**",
  "%",
  "%%",
  "_",
  ".*",
  "^.*$",
  ".+",
  "?",
  "constructor",
  "toString",
  "__proto__",
  "hasOwnProperty",

  "admin",
  "root",
  "test",
  "demo",
  "guest",
  "public",
  "default",
  "secret",
  "password",
  "changeme",
  "Bearer",
  "debug",

  "' OR '1'='1",
  "' or ''='",
  "1' OR 1=1--",
  "api_key",
  "API_KEY",
  "YOUR_API_KEY",
  "<API_KEY>",
  "${API_KEY}",
  "$API_KEY",
];

const SIGNS = [..." ,;.:=/#?&+-_~%'\"\\|!*@()[]{}<>"];

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Makes a JSON Web Token without a signature. */
function unsigned(claims: object): string {
  const [head, body] = [{ alg: "none", typ: "JWT" }, claims].map((part) =>
    btoa(JSON.stringify(part)).replaceAll("=", "")
  );
  return `${head}.${body}.`;
}

function encodingsOf(key: string): string[] {
  const bytes = hex(new TextEncoder().encode(key));
  const percent = bytes.replaceAll(/../g, "%$&");
  return [
    btoa(key),
    btoa(key).replaceAll("=", ""),
    bytes,
    percent,
    percent.slice(0, 3) + key.slice(1),
    unsigned({ sub: "admin" }),
    unsigned({ key }),
  ];
}

/**
 * Makes shorter forms of a key. A part of fewer than two characters is left out, since it may be the whole of a key.
 */
function partsOf(key: string, { below }: Random): string[] {
  const lengths = [1, 1 + below(key.length), key.length >> 1, key.length - 1, Math.min(16, key.length - 1)];
  const parts = key.split(/[-_.]/);
  const at = below(key.length);
  return [
    ...lengths.flatMap((length) => length > 0 ? [key.slice(0, length), key.slice(-length)] : []),
    parts[0]!,
    parts.at(-1)!,
    key.slice(1, -1),
    key.replaceAll(/[-_.]/g, ""),
    key.slice(0, at) + key.slice(at + 1),
  ];
}

/** Makes forms of the same length. Each keeps the last character, whose last bits may mean nothing. */
function changesOf(key: string, { below, letters }: Random): string[] {
  const [start, last] = [key.slice(0, -1), key.slice(-1)];
  const change = (edit: (sign: string) => string, at: number) =>
    start.slice(0, at) + edit(start[at] ?? "") + start.slice(at + 1) + last;
  const at = below(Math.max(1, start.length - 1));
  const places = [at, 0, key.length >> 1];
  return [
    ...places.map((place) =>
      change((sign) => sign === sign.toUpperCase() ? sign.toLowerCase() : sign.toUpperCase(), place)
    ),
    ...places.map((place) => change((sign) => sign === "0" ? "1" : "0", place)),
    start.slice(0, at) + [...start.slice(at, at + 2)].reverse().join("") + start.slice(at + 2) + last,
    key.toUpperCase(),
    key.toLowerCase(),
    [...key].reverse().join(""),
    [...key].sort().join(""),
    letters(key.length),
    key.replaceAll("_", "-"),
    key.slice(0, 16) + letters(Math.max(1, key.length - 16)),
    letters(Math.max(1, key.length - 8)) + key.slice(-8),
  ];
}

/** Makes longer forms of a key. */
function longerThan(key: string, { letters, pick }: Random): string[] {
  const more = () => letters(1 + pick([0, 1, 5]));
  const signed = [...Array(4)].map(() => pick(SIGNS));
  return [
    `${key}x`,
    `x${key}`,
    `${key}${more()}`,
    `${more()}${key}`,
    `${key}${key}`,
    `${key}%20`,
    `${key}%00`,
    `${key}%0a`,
    `%20${key}`,

    `${key},x`,
    `x,${key}`,
    `${key} x`,
    `x ${key}`,
    `${key}, Bearer ${key}`,
    `Bearer ${key}`,
    `sha256:${key}`,
    `${key}\u00a0`,

    `"${key}"`,
    `'${key}'`,
    `<${key}>`,
    `[${key}]`,
    `{${key}}`,
    `${key}=`,
    `${key}==`,
    `${key}:`,
    `:${key}`,
    `${key}.`,
    ...signed.map((sign) => `${key}${sign}${more()}`),
    ...signed.map((sign) => `${more()}${sign}${key}`),
  ];
}

async function digestsOf(key: string): Promise<string[]> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  return [hex(digest), btoa(String.fromCharCode(...digest)), `sha256:${hex(digest)}`];
}

export async function wrongTokens(key: string, random: Random): Promise<string[]> {
  const all = [
    ...WORDS,
    ...partsOf(key, random),
    ...changesOf(key, random),
    ...longerThan(key, random),
    ...encodingsOf(key),
    ...await digestsOf(key),
  ];
  return [...new Set(all)].filter((token) => token !== key && token.trim() !== "");
}

/** Makes whole values of the field Authorization that have no right key. */
export function wrongCredentials(key: string, { letters, pick }: Random): string[] {
  const pairs = [`user:${key}`, `${key}:`, `${key}:x`, `${key}:${key}`, `:${key}`, `api:${key}`, key];
  const schemes = [
    "Basic",
    "Token",
    "ApiKey",
    "Digest",
    "BearerX",
    "Key",
    "JWT",
    "OAuth",
    "Negotiate",
    "X-API-Key",
    "HMAC",
    "AWS4-HMAC-SHA256",
    "DPoP",
    "GNAP",
    "Api-Key",
    "Bear",
    `${letters(5)}`,
  ];
  const wrong = pick(["x", letters(8), letters(key.length)]);
  return [
    "Bearer",
    key,
    `Bearer${key}`,
    `Bearer:${key}`,
    `Bearer=${key}`,
    `Bearer ${key} ${key}`,
    `Bearer, ${key}`,
    `bearer ${wrong}`,
    `BEARER ${wrong}`,
    ...pairs.map((pair) => `Basic ${btoa(pair)}`),
    ...schemes.map((scheme) => `${scheme} ${key}`),

    `Token token="${key}"`,
    `Bearer token="${key}"`,
    `Digest username="${key}", response="${key}"`,
    `Basic x, Bearer ${key}`,
  ];
}
