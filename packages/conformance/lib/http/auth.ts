/** The cases of authentication: section 5 of the specification, and RFC 6750. */

import type { Api } from "./api.ts";
import * as assert from "./assert.ts";
import { addition, type HttpCase, says } from "./case.ts";
import { ABSENT_ID, addPet, newName, storesNothing } from "./catalogue.ts";
import { PET } from "./create.ts";
import { assertResponse, petOf } from "./responses.ts";
import { ALLOWED } from "./routes.ts";

/**
 * Values of Authorization that servers take for the right one if they decode, cut, search or
 * compare keys in wrong ways.
 */
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

/** The fields of requests with the key at a wrong place, and with wrong keys. */
function wrongFields(key: string): Record<string, string>[] {
  return [
    {},
    { cookie: named(key).join("; ") },
    Object.fromEntries(KEY_FIELDS.map((name) => [name, key])),
    TRUSTED,
    ...wrongCredentials(key).map((authorization) => ({ authorization })),
  ];
}

/** The key in parameters and cookies. */
function named(key: string): string[] {
  return KEY_NAMES.map((name) => `${name}=${encodeURIComponent(key)}`);
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
      assertResponse(response, 401, method === "HEAD" ? undefined : code);
      const told = response.headers.get("www-authenticate") ?? "none";
      assert.match(told, wanted, `The challenge of ${method} ${path} must match ${wanted}`);
    }
  }
}

export const AUTH_CASES: HttpCase[] = [
  ...says("auth", "5: Every endpoint requires an API key, sent as an HTTP bearer token", {
    async "shows and stores nothing without the right key, in any form"(api) {
      const shown = newName();
      const pet = `/pets/${await addPet(api, "available", shown)}`;
      const send = async (method: string, path: string, body?: string, fields?: Record<string, string>) => {
        const headers = { "content-type": "application/json", ...fields };
        const response = await api.send(method, path, { key: null, body, headers });
        assert.ok(!response.text.includes(shown), "A response without the right key shows a pet");
        return response;
      };
      // The same requests with the key may fill a cache.
      for (const path of ["/pets", "/pets", pet, pet]) await api.get(path);
      await storesNothing(api, async () => {
        for (const [method, path, body] of [["GET", "/pets"], ["GET", pet], ["POST", "/pets", PET]] as const) {
          for (const fields of wrongFields(api.key)) assertResponse(await send(method, path, body, fields), 401);
          assertResponse(await send(method, `${path}?${named(api.key).join("&")}`, body), 401);
        }
        assertResponse(await send("GET", `/pets/${ABSENT_ID}`), 401);
        for (const body of ["{", PET.replace("}", `,"api_key":"${api.key}"}`)]) {
          assertResponse(await send("POST", "/pets", body), 401);
        }
        // Servers have let in requests for their methods and paths.
        const odd = ["/pets/", "/PETS", "/pets.json", `${pet}/`, `${pet};key=${api.key}`].map((path) => `GET ${path}`);
        for (const request of [`HEAD ${pet}`, `PUT ${pet}`, `PATCH ${pet}`, `DELETE ${pet}`, ...odd]) {
          const [method = "", path = ""] = request.split(" ");
          const { status } = await send(method, path);
          assert.ok(status >= 300, `${request} without a key was answered with ${status}`);
        }
      });
      assert.equal(petOf(await api.get(pet)).name, shown, "The name of a pet after requests without a key");
    },
  }),
  ...addition("auth", "Every path needs a key, unknown ones too, and 401 has WWW-Authenticate (RFC 6750)", {
    "answers 401 missing_api_key on every path and method without a key, unknown ones too": (api) =>
      assertChallenged(api, [...Object.keys(ALLOWED), "/unknown"]),
    async "answers 401 invalid_api_key to wrong keys and other schemes"(api) {
      for (const authorization of [`Bearer x${api.key}`, "Bearer", api.key, `Basic ${btoa(`user:${api.key}`)}`]) {
        await assertChallenged(api, ["/pets", "/pets/1"], authorization);
      }
    },
  }),
  ...addition("auth", "A key is Authorization: Bearer <key>, with Bearer in any letter case", {
    async "takes the scheme in any case"(api) {
      for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
        assertResponse(await api.get("/pets", { headers: { authorization: `${scheme} ${api.key}` } }), 200);
      }
    },
  }),
];
