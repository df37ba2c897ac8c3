/** The cases of authentication: section 5 of the specification, and RFC 6750. */

import type { Api } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, says } from "./case.ts";
import { ABSENT_ID, addPet, newName, storesNothing } from "./catalogue.ts";
import { PET } from "./body.ts";
import { petOf } from "./exact.ts";
import { ALLOWED } from "./routes.ts";

const NEEDED = says("auth", "5: Every endpoint requires an API key, sent as an HTTP bearer token", "store");
const REQUIRED = addition(
  "auth",
  "Every path needs a key, unknown ones too, and 401 has WWW-Authenticate (RFC 6750)",
);
const KEYS = addition("auth", "A key is Authorization: Bearer <key>, with Bearer in any letter case");

/** Values of Authorization that servers take for the right one if they decode, cut, search or compare keys in wrong ways. */
function wrongCredentials(key: string): string[] {
  const half = key.length >> 1;
  const tokens = [
    ..."null undefined *".split(" "),
    "' OR '1'='1",
    key.slice(half),
    key.slice(0, half),
    "x".repeat(key.length),
    key.toUpperCase(),
    key.toLowerCase(),
    btoa(key),
    `${key}x`,
    `x${key}`,
    `${key} x`,
    `${key}, Bearer ${key}`,
    `"${key}"`,
  ];
  return [
    // A part of a short key may be empty, or the whole key.
    ...tokens.filter((token) => token !== key).map((token) => `Bearer ${token}`.trimEnd()),
    key,
    `Bearer${key}`,
    `Basic ${key}`,
    `Basic ${btoa(`user:${key}`)}`,
  ];
}

/** Fields, and parameters and cookies, in which some servers look for a key. */
const KEY_FIELDS = "x-api-key api-key apikey x-auth-token x-access-token proxy-authorization token".split(" ");
const KEY_NAMES = "key api_key apikey apiKey access_token token auth authorization session".split(" ");

/** Fields of proxies, browsers and monitors, for which some servers ask for no key. */
const TRUSTED = {
  "x-forwarded-for": "127.0.0.1",
  "x-http-method-override": "OPTIONS",
  "user-agent": "kube-probe/1.31",
  "if-none-match": "*",
};

/** Sends requests to each endpoint with credentials, fields and queries that are not the key. None may show the pet with this name. */
async function sendWrong(api: Api, id: bigint, shown: string): Promise<void> {
  const named = KEY_NAMES.map((name) => `${name}=${encodeURIComponent(api.key)}`);
  const query = `?${named.join("&")}`;
  const attempts: [headers: Record<string, string>, query: string][] = [
    [{}, ""],
    [{}, query],
    [{ cookie: named.join("; ") }, ""],
    [Object.fromEntries(KEY_FIELDS.map((name) => [name, api.key])), ""],
    [TRUSTED, ""],
  ];
  for (const authorization of wrongCredentials(api.key)) attempts.push([{ authorization }, ""]);
  // The same requests with the key may fill a cache.
  for (const path of ["/pets", `/pets${query}`, `/pets/${id}`, `/pets/${id}${query}`]) await api.get(path);
  for (const [headers, query] of attempts) {
    for (const [method, path] of [["GET", "/pets"], ["GET", `/pets/${id}`], ["POST", "/pets"]] as const) {
      const body = method === "POST" ? { body: PET } : {};
      const all = { "content-type": "application/json", ...headers };
      const response = await api.send(method, path + query, { key: null, headers: all, ...body });
      assertStatus(response, 401, `${method} ${path}${query} ${JSON.stringify(headers)}`);
      assert.ok(!response.text.includes(shown), "A response without the right key shows a pet");
    }
  }
}

/** Sends requests without a key that servers have let in for their methods, paths, ids and bodies. */
async function sendOdd(api: Api, id: bigint, shown: string): Promise<void> {
  const none = { key: null };
  for (const method of ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"]) {
    const { status, text } = await api.send(method, `/pets/${id}`, none);
    assert.ok(!text.includes(shown), `${method} without a key shows a pet`);
    assert.ok(method === "OPTIONS" || status >= 300, `${method} without a key was answered with ${status}`);
  }
  for (const path of ["/pets/", "/PETS", "/pets.json", `/pets/${id}/`, `/pets/${id};key=${api.key}`]) {
    const { status } = await api.get(path, none);
    assert.ok(status >= 300, `The path ${path} without a key was answered with ${status}`);
  }
  assertStatus(await api.get(`/pets/${ABSENT_ID}`, none), 401, "GET of a pet that does not exist without a key");
  for (const body of ["{", PET.replace("}", `,"api_key":"${api.key}"}`)]) {
    assertStatus(await api.post(body, none), 401, `the body ${body} without a key`);
  }
}

/** Sends requests with these credentials, or without any, and requires a challenge in each response. */
export async function assertChallenged(api: Api, paths: readonly string[], authorization?: string): Promise<void> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  // Without credentials, or with those of another scheme, the challenge has no error (RFC 6750 §3.1).
  const wanted = /^Bearer /.test(authorization ?? "") ? /^Bearer .*error="invalid_token"/ : /^Bearer (?!.*error=)/;
  const code = authorization === undefined ? "missing_api_key" : "invalid_api_key";
  for (const path of paths) {
    for (const method of ["GET", "POST", "HEAD", "OPTIONS", "DELETE"]) {
      const response = await api.send(method, path, { key: null, headers });
      assertResponse(response, { status: 401, ...method === "HEAD" ? {} : { code } }, `${method} ${path}`);
      const told = response.headers.get("www-authenticate") ?? "none";
      assert.match(told, wanted, `The challenge of ${method} ${path} must match ${wanted}`);
    }
  }
}

export const AUTH_CASES: HttpCase[] = [
  ...cases(NEEDED, {
    async "shows and stores nothing without the right key, in any form"(api) {
      const shown = newName();
      const id = await addPet(api, "available", shown);
      await storesNothing(api, async () => {
        await sendWrong(api, id, shown);
        await sendOdd(api, id, shown);
      });
      assert.equal(petOf(await api.get(`/pets/${id}`)).name, shown, "The name of a pet after requests without a key");
    },
  }),
  ...cases(REQUIRED, {
    "answers 401 missing_api_key on every path and method without a key, unknown ones too": (api) =>
      assertChallenged(api, [...Object.keys(ALLOWED), "/unknown"]),
    async "answers 401 invalid_api_key to wrong keys and other schemes"(api) {
      for (const authorization of [`Bearer x${api.key}`, "Bearer", api.key, `Basic ${btoa(`user:${api.key}`)}`]) {
        await assertChallenged(api, ["/pets", "/pets/1"], authorization);
      }
    },
  }),
  ...cases(KEYS, {
    async "takes the scheme in any case"(api) {
      for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
        const headers = { authorization: `${scheme} ${api.key}` };
        assertStatus(await api.get("/pets", { headers }), 200, `the scheme ${scheme}`);
      }
    },
  }),
];
