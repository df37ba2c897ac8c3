/** Section 5 of the specification, and RFC 6750. */

import assert from "node:assert/strict";
import { KEY } from "../../support/api.ts";
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
      // Twice: after the first time, a digest's key is recognised in another way.
      for (let i = 0; i < 2; i++) assert.equal((await api.get("/pets", { key: "hashed-key" })).status, 200);
      for (const key of [HASHED, KEY, "hashed-keys"]) assert.equal((await api.get("/pets", { key })).status, 401);
    },
  ),
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
