/** Requests that have no right key where the key belongs, in the dresses in which servers let them in. */

import type { Api, RequestParts } from "../api.ts";
import { groupsOf, type Random } from "./random.ts";
import { wrongCredentials, wrongTokens } from "./tokens.ts";

/** How a request differs from one with the key. */
export interface Dress {
  /** The end of a sentence that begins with "With". */
  what: string;
  parts: RequestParts;
  /** Parameters of the query, such as `status=sold`. */
  query?: string;
}

/** The names of fields and parameters in which servers look for a key, besides the place where it belongs. */
const NAMES_OF_KEYS = [
  "key",
  "api_key",
  "apikey",
  "apiKey",
  "api-key",
  "access_token",
  "token",
  "auth",
  "auth_token",
  "authorization",
  "bearer",
  "access_key",
  "secret",
  "client_secret",
  "password",
  "jwt",
  "session",
  "sid",
  "code",
  "signature",
  "sig",
  "user",
];
const FIELDS_OF_KEYS = [
  "x-api-key",
  "api-key",
  "apikey",
  "x-auth-token",
  "x-access-token",
  "x-authorization",
  "x-token",
  "x-key",
  "x-auth",
  "token",

  "auth",
  "authentication",
  "proxy-authorization",
  "x-forwarded-authorization",
  "x-original-authorization",
  "x-secret",

  "sec-websocket-protocol",
  "x-session-id",
  "x-csrf-token",
  "x-petstore-key",
  "x-goog-api-key",
  "private-token",
  "dpop",

  "ocp-apim-subscription-key",
  "x-amz-security-token",
  "x-client-secret",
  "x-user",
  "x-password",
  "from",
  "user-agent",
];

/** Fields that caches, proxies, browsers, frameworks and monitors send, with values. None of them replaces a key. */
const FIELDS: [names: string[], values: string[]][] = [
  [["x-forwarded-for", "x-real-ip", "true-client-ip", "cf-connecting-ip", "x-client-ip"], ["127.0.0.1", "10.0.0.1"]],
  [["x-remote-user", "remote-user", "x-forwarded-user", "x-user-id", "x-authenticated-user", "x-role"], ["admin"]],
  [["x-internal", "x-debug", "x-test", "x-admin", "x-bypass", "x-health-check", "x-authenticated"], ["true"]],
  [["x-forwarded-host", "x-host", "x-original-host"], ["localhost"]],
  [["x-original-url", "x-rewrite-url", "x-forwarded-uri", "x-forwarded-prefix"], ["/livez"]],
  [["x-http-method-override", "x-http-method", "x-method-override", "x-original-method"], ["OPTIONS", "HEAD"]],
  [["if-none-match", "if-match", "if-range"], ["*", '"x"']],
  [["user-agent"], ["kube-probe/1.31", "ELB-HealthChecker/2.0", "GoogleHC/1.0", "Googlebot/2.1", "curl/8.5.0"]],
  [["accept"], ["text/html", "application/xml", "text/event-stream", "*/*", "application/json"]],
  [["origin"], ["https://app.example", "null", "http://localhost:3000"]],
  [["cache-control", "pragma"], ["no-cache", "only-if-cached"]],
  [["if-modified-since"], ["Thu, 01 Jan 1970 00:00:00 GMT"]],
  [["idempotency-key", "x-request-id"], ["7f3c"]],
  [["forwarded"], ["for=127.0.0.1;host=localhost;proto=https"]],
  [["x-forwarded-proto"], ["https"]],
  [["x-requested-with"], ["XMLHttpRequest"]],
  [["referer"], ["https://app.example/"]],
  [["range"], ["bytes=0-"]],
  [["x-middleware-subrequest"], ["middleware:middleware:middleware"]],
  [["x-client-verify", "x-ssl-client-verify"], ["SUCCESS"]],
  [["traceparent"], ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]],
  [["access-control-request-method"], ["GET"]],
  [["sec-fetch-site"], ["same-origin"]],
  [["purpose"], ["prefetch"]],
  [["early-data", "x-api-version"], ["1"]],
  [["via"], ["1.1 proxy"]],
  [["cookie"], ["session=1; logged_in=true; admin=1; role=admin"]],
];
const QUERIES = [
  "cursor=1",
  "page=1",
  "offset=0",
  "admin=true",
  "debug=1",
  "test=1",
  "public=true",
  "format=json",
  "callback=f",
  "fields=id",

  "_method=OPTIONS",
  "health=1",
  "ping=1",
  "preview=1",
  "sort=id",
  "order=desc",
  "q=Rex",
  "name=Rex",
  "id=1",
  "internal=1",
];

/** Divides the fields with their values into groups of a few. No group has a name twice. */
function fieldGroups(random: Random): [string, string][][] {
  return [0, 1, 2, 3, 4].flatMap((i) => {
    const fields = FIELDS.flatMap(([names, { [i]: value }]) =>
      value === undefined ? [] : names.map((name): [string, string] => [name, value])
    );
    return groupsOf(random, fields, 4);
  });
}

function listed(names: Iterable<string>): string {
  return [...names].join(", ");
}

/** Makes queries of lists, common ones and others. */
function listQueries({ below, pick, shuffle }: Random): string[] {
  const limits = [1, 5, 10, 20, 50, 99, 100, 1 + below(100)];
  const statuses = ["available", "pending", "sold"];
  const both = shuffle(limits).slice(0, 5).map((limit) =>
    shuffle([`status=${pick(statuses)}`, `limit=${limit}`]).join("&")
  );
  return [...statuses.map((status) => `status=${status}`), ...limits.map((limit) => `limit=${limit}`), ...both];
}

/** Requests without a key, with a wrong one, or with the right one in a wrong place. What cannot hide another mistake is sent together. */
export async function dressesOf({ key, random }: Api): Promise<Dress[]> {
  const credentials = [
    ...(await wrongTokens(key, random)).map((token) => `Bearer ${token}`),
    ...wrongCredentials(key, random),
  ];
  const encoded = encodeURIComponent(key);
  const bare = (headers: Record<string, string>): RequestParts => ({ key: null, headers });
  const inFields = (value: string): Dress[] =>
    groupsOf(random, FIELDS_OF_KEYS, 6).map((names) => ({
      what: `the key in ${listed(names)}`,
      parts: bare(Object.fromEntries(names.map((name) => [name, value]))),
    }));
  const withQuery = (query: string): Dress => ({ what: `${query}, and no key`, parts: { key: null }, query });
  const dresses: Dress[] = [
    { what: "no key", parts: { key: null } },
    ...credentials.map((authorization) => ({ what: "wrong credentials", parts: { headers: { authorization } } })),
    ...groupsOf(random, NAMES_OF_KEYS, 4).map((names) => ({
      what: `the key in the query, as ${listed(names)}`,
      parts: { key: null },
      query: names.map((name) => `${name}=${encoded}`).join("&"),
    })),
    ...inFields(key),
    ...inFields(`Bearer ${key}`),
    ...groupsOf(random, NAMES_OF_KEYS, 6).map((names) => ({
      what: `the key in the cookies ${listed(names)}`,
      parts: bare({ cookie: names.map((name) => `${name}=${encoded}`).join("; ") }),
    })),
    ...fieldGroups(random).map((group) => ({
      what: `${listed(group.map(([name]) => name))}, and no key`,
      parts: bare(Object.fromEntries(group)),
    })),
    ...listQueries(random).map(withQuery),
    ...groupsOf(random, QUERIES, 3).map((group) => withQuery(group.join("&"))),
  ];
  return random.shuffle(dresses);
}

/** Requests to each endpoint in a dress. Those that would add a pet have this name. */
export function requestsIn(
  { parts, query }: Dress,
  id: bigint,
  name: string,
): [method: string, path: string, parts: RequestParts][] {
  const add = query === undefined ? "" : `?${query}`;
  const headers = { "content-type": "application/json", ...parts.headers as Record<string, string> };
  return [
    ["GET", `/pets${add}`, parts],
    ["GET", `/pets/${id}${add}`, parts],
    ["POST", `/pets${add}`, { ...parts, headers, body: `{"name":"${name}","categoryId":7}` }],
  ];
}
