/** Section 5 of the specification, and RFC 6750. */

import assert from "node:assert/strict";
import { KEY } from "./api.ts";
import { caseWith, type HttpCase, httpCase } from "./case.ts";

const PATHS = ["/pets", "/pets/1", "/store/orders", "/unknown", "//v2/pets", "//"];
const REALM = 'Bearer realm="petstore"';
const INVALID = "The API key is not valid";
const MALFORMED = "The Authorization header must be Bearer <API_KEY>: the word, a space and the key alone";

/** SHA-256 of "hashed-key". */
const HASHED = "sha256:a4ae87b73fa5645e6aee415a6f72be4dcbd99d057a7b40cb1b867c181d179260";

export const AUTH_CASES: HttpCase[] = [
  httpCase("answers 401 missing_api_key on every path and method without a key, unknown ones too", async (api) => {
    for (const path of PATHS) {
      for (const method of ["GET", "POST", "HEAD", "OPTIONS", "DELETE"]) {
        const { status, headers, error } = await api.send(method, path, { key: null });
        assert.equal(status, 401);
        assert.equal(headers.get("www-authenticate"), REALM);
        if (method !== "HEAD") assert.equal(error.code, "missing_api_key");
      }
    }
  }),
  httpCase(
    "answers 401 invalid_api_key to wrong, malformed and other credentials, and says which form is right",
    async (api) => {
      const wrong = ["x", `${KEY}x`, KEY.slice(1), KEY.toUpperCase(), `"${KEY}"`, "x".repeat(5000)];
      const malformed = [
        ...[KEY, "Bearer", `Bearer ${KEY},${KEY}`, `Basic ${btoa("user:" + KEY)}`, `Basic ${KEY}`, `Bearer${KEY}`],
        ...[`Bearer\t${KEY}`, `Bearer Bearer ${KEY}`, `Bearer ${KEY} ${KEY}`, `Bearer ${KEY}, Bearer ${KEY}`],
      ];
      const headers = [
        ...wrong.map((key) => [`Bearer ${key}`, INVALID]),
        ...malformed.map((each) => [each, MALFORMED]),
      ];
      for (const [authorization = "", message = ""] of headers) {
        const { status, headers, error } = await api.get("/pets", { headers: { authorization } });
        assert.equal(status, 401, authorization);
        const challenge = `${REALM}, error="invalid_token", error_description="${message}"`;
        assert.equal(headers.get("www-authenticate"), challenge);
        assert.deepEqual(error, { code: "invalid_api_key", message, status: 401 }, authorization);
      }
    },
  ),
  httpCase("takes the scheme in any case", async (api) => {
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
      const { status } = await api.get("/pets", { headers: { authorization: `${scheme} ${KEY}` } });
      assert.equal(status, 200);
    }
  }),
  httpCase("refuses two Authorization headers, even with one and the same key", async (api) => {
    const headers: [string, string][] = [["authorization", `Bearer ${KEY}`], ["authorization", `Bearer ${KEY}`]];
    assert.equal((await api.get("/pets", { headers })).status, 401);
  }),
  caseWith(
    { keys: new Set(["old-key", HASHED, "new-key"]) },
    "accepts several keys at once, in clear or as a SHA-256 digest",
    async (api) => {
      for (const key of ["old-key", "new-key"]) assert.equal((await api.get("/pets", { key })).status, 200);
      // Twice, because the second check of a digest's key uses a cache.
      for (let i = 0; i < 2; i++) assert.equal((await api.get("/pets", { key: "hashed-key" })).status, 200);
      for (const key of [HASHED, KEY, "hashed-keys"]) assert.equal((await api.get("/pets", { key })).status, 401);
    },
  ),
  caseWith(
    { keys: [{ key: "reader", readOnly: true, caller: "shop" }, { key: "writer", caller: "shop" }] },
    "answers 403 insufficient_scope to a create with a key that may only read, after 404 and 405, and before the body",
    async (api) => {
      const pet = { name: "Rex", categoryId: 7 };
      const message = "The API key may only read";
      for (const body of [pet, "", "{", "x".repeat(900_000)]) {
        const { status, headers, error } = await api.post(body, { key: "reader" });
        assert.equal(status, 403);
        assert.deepEqual(error, { code: "insufficient_scope", message, status: 403 });
        const challenge = `${REALM}, error="insufficient_scope", error_description="${message}"`;
        assert.equal(headers.get("www-authenticate"), challenge);
      }
      const statuses = [["POST", "/unknown"], ["POST", "/pets/1"], ["DELETE", "/pets"]] as const;
      const refused = await Promise.all(statuses.map(([method, path]) => api.send(method, path, { key: "reader" })));
      assert.deepEqual(refused.map(({ status }) => status), [404, 405, 405]);
      assert.equal((await api.get("/pets", { key: "reader" })).text, "[]");
      assert.equal((await api.post(pet, { key: "writer" })).status, 201);
      for (const path of ["/pets", "/pets/1"]) assert.equal((await api.get(path, { key: "reader" })).status, 200);
    },
  ),
  caseWith(
    { keys: (key) => key === undefined ? undefined : { id: "shop", readOnly: key !== "writer" } },
    "lets a verifier decide who may only read",
    async (api) => {
      assert.equal((await api.get("/pets", { key: null })).status, 401);
      const pet = { name: "Rex", categoryId: 7 };
      assert.equal((await api.post(pet, { key: "reader" })).status, 403);
      assert.equal((await api.post(pet, { key: "writer" })).status, 201);
    },
  ),
  httpCase("reports a mistyped key by its checksum, if the key has the format of generated keys", async (api) => {
    const message = "The API key is incomplete or mistyped: its checksum is wrong";
    const whole = "petstore_000000000000000000000000000000";
    for (const key of ["petstore_", `${whole}00000`, `${whole}0000000`, `${whole}000001`, `${whole}zzzzzz`]) {
      const { status, error } = await api.get("/pets", { key });
      assert.deepEqual([status, error.message], [401, message], key);
    }
    const right = await api.get("/pets", { key: `${whole}2C8GjS` });
    assert.deepEqual([right.status, right.error.message], [401, INVALID]);
  }),
  caseWith(
    {
      keys: (key) => {
        if (key === "later") return Promise.resolve(true);
        return key === "yes" || (key === "truthy" && "yes" as unknown as boolean);
      },
    },
    "asks a verifier, and lets in only the keys that it answers true to",
    async (api) => {
      for (const key of ["yes", "later"]) assert.equal((await api.get("/pets", { key })).status, 200);
      for (const key of ["no", "truthy"]) assert.equal((await api.get("/pets", { key })).status, 401);
    },
  ),
  caseWith(
    {
      keys: (key) => {
        if (key === "rejects") return Promise.reject(new Error("secret"));
        throw new Error("secret");
      },
      onError: () => {},
    },
    "answers 500 and nothing else when the verifier throws",
    async (api) => {
      for (const key of ["throws", "rejects"]) {
        const { status, error } = await api.get("/pets", { key });
        assert.equal(status, 500);
        assert.deepEqual(error, { code: "internal_error", message: "An internal error occurred", status: 500 });
      }
    },
  ),
];
