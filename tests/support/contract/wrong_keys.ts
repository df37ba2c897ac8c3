/** The option `keys`: what createPetstore() refuses, and its words, which show no key. */

import { createPetstore, type PetstoreOptions } from "../../../mod.ts";
import { KEY } from "../../../lib/testing/http/api.ts";
import { assert } from "../../../lib/testing/http/assert.ts";
import { REALM } from "../../../lib/testing/http/auth.ts";
import { addition, cases, type HttpCase } from "../../../lib/testing/http/case.ts";

const KEYS = addition("auth", "A key is Authorization: Bearer <key>, with Bearer in any letter case");
const REFUSED = addition(
  "auth",
  "A wrong key is refused when the petstore is made, by its number and without showing it",
);

const MISSING = "An API key is required, as Authorization: Bearer <API_KEY>";
const INVALID = "The API key is not valid";
const MALFORMED = "The Authorization header must be Bearer <API_KEY>: the word, a space and the key alone";
const MISTYPED = "The API key is incomplete or mistyped: its checksum is wrong";

/** A generated key of 30 zeros, without its checksum. */
const UNCHECKED = "petstore_000000000000000000000000000000";

/** Credentials that are refused, by the message that says why. */
const REFUSALS: Record<string, string[]> = {
  [INVALID]: [
    ...["x", `${KEY}x`, KEY.slice(1), KEY.toUpperCase(), `"${KEY}"`, "x".repeat(5000), `${UNCHECKED}2C8GjS`],
  ].map((key) => `Bearer ${key}`),
  [MALFORMED]: [
    ...[KEY, "Bearer", `Bearer ${KEY},${KEY}`, `Basic ${btoa("user:" + KEY)}`, `Basic ${KEY}`, `Bearer${KEY}`],
    ...[`Bearer\t${KEY}`, `Bearer Bearer ${KEY}`, `Bearer ${KEY} ${KEY}`, `Bearer ${KEY}, Bearer ${KEY}`],
  ],
  [MISTYPED]: ["petstore_", ...["00000", "0000000", "000001", "zzzzzz"].map((end) => UNCHECKED + end)]
    .map((key) => `Bearer ${key}`),
};

/** Wrong values of the option, by what the message must say. */
const WRONG_KEYS: Record<string, unknown[]> = {
  "Option keys must be API keys, such as keys: [key], a key manager or a function": [
    ...[undefined, null, "pk_secret", 7, { key: "pk_secret" }, [], new Set()],
  ],
  "API key number 1 must be 1 to 4096 visible ASCII characters, no space or comma": [
    ...["", "pk_secret ", "pk secret", "pk_secret\n", "pk_secret,pk_other", "pk_secret_é", "\u007f", null, 7]
      .flatMap((key) => [[key], [{ key }]]),
    ...[["pk_secret".padEnd(4097, "x")], [{ key: ["pk_secret"] }]],
  ],
  // Of an environment variable that is not set.
  "API key number 2 must be a key, but is undefined; is an environment variable not set?": [
    ...[undefined, { key: undefined }, { caller: "shop" }].map((unset) => ["right", unset]),
  ],
  "API key number 2 must have no members but key, caller, expires and readOnly": [
    ["right", { key: "pk_secret", expire: new Date(0) }],
  ],
  "API key number 1 must have a caller that is not empty": ["", 7, null].map((
    caller,
  ) => [{ key: "pk_secret", caller }]),
  "API key number 1 must have a valid Date as expires": [
    ...["2030-01-01", 7, new Date(NaN), null].map((expires) => [{ key: "pk_secret", expires }]),
  ],
  "API key number 1 must have a boolean as readOnly": ["no", 1, null].map((
    readOnly,
  ) => [{ key: "pk_secret", readOnly }]),
  "API key number 3 must be sha256: and 64 hex digits": [
    ...["", "pk".repeat(32), "ab".repeat(31), `${"ab".repeat(32)}0`, `0${"ab".repeat(32)}`]
      .map((digest) => ["one", "two", `sha256:${digest}`]),
  ],
};

/** What a function throws, as text. */
function thrownBy(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return String(error);
  }
  return "nothing";
}

export const WRONG_KEY_CASES: readonly HttpCase[] = [
  ...cases({ ...REFUSED, isLocal: true, inProcess: "it makes petstores with wrong keys" }, {
    "is not made with wrong keys, and the error says which one is wrong and why": () => {
      for (const [message, all] of Object.entries(WRONG_KEYS)) {
        for (const keys of all as PetstoreOptions["keys"][]) {
          assert.equal(thrownBy(() => createPetstore({ keys })), `TypeError: ${message}`);
        }
      }
      return Promise.resolve();
    },
  }),
  ...cases(KEYS, {
    async "answers 401 to missing, wrong, mistyped, malformed and other credentials, and says why"(api) {
      const { error } = await api.get("/pets", { key: null });
      assert.deepEqual(error, { code: "missing_api_key", message: MISSING, status: 401 });
      for (const [message, all] of Object.entries(REFUSALS)) {
        for (const authorization of all) {
          const { status, headers, error } = await api.get("/pets", { headers: { authorization } });
          assert.equal(status, 401, authorization);
          // Another scheme gets no error code (RFC 6750 §3.1).
          const hasCode = authorization.startsWith("Bearer ");
          const challenge = hasCode ? `${REALM}, error="invalid_token", error_description="${message}"` : REALM;
          assert.equal(headers.get("www-authenticate"), challenge, authorization);
          assert.deepEqual(error, { code: "invalid_api_key", message, status: 401 }, authorization);
        }
      }
    },
  }),
];
