/** The option `keys`: what createPetstore() refuses, and its words, which show no key. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";

const INVALID_KEYS = [
  "pk_secret ",
  "pk secret",
  "pk_secret\n",
  "pk_secret,pk_other",
  "pk_secret_é",
  "\u007f",
  null,
  7,
];
const INVALID_DIGESTS = ["", "pk".repeat(32), "ab".repeat(31), `${"ab".repeat(32)}0`, `0${"ab".repeat(32)}`];

/** Wrong values of the option, by what the message must say. */
const WRONG_KEYS: Record<string, unknown[]> = {
  "Option keys must be API keys, such as keys: [key], a key manager or a function": [
    undefined,
    null,
    "pk_secret",
    7,
    { key: "pk_secret" },
    [],
    new Set(),
  ],
  "API key number 1 must be 1 to 4096 visible ASCII characters, no space or comma": [
    ...INVALID_KEYS.flatMap((key) => [[key], [{ key }]]),
    ["pk_secret".padEnd(4097, "x")],
    [{ key: ["pk_secret"] }],
  ],
  // The value is that of an environment variable which is not set.
  "API key number 2 must be a key, but is undefined or empty; is an environment variable not set?": [
    ["right", undefined],
    ["right", ""],
    ["right", { key: "" }],
    ["right", { key: undefined }],
    ["right", { caller: "shop" }],
  ],
  "API key number 2 must have no members but key, caller, expires and readOnly": [
    ["right", { key: "pk_secret", expire: new Date(0) }],
  ],
  "API key number 1 must have a caller that is not empty": ["", 7, null].map((
    caller,
  ) => [{ key: "pk_secret", caller }]),
  "API key number 1 must have a valid Date as expires": [
    [{ key: "pk_secret", expires: "2030-01-01" }],
    [{ key: "pk_secret", expires: 7 }],
    [{ key: "pk_secret", expires: new Date(NaN) }],
    [{ key: "pk_secret", expires: null }],
  ],
  "API key number 1 must have a boolean as readOnly": ["no", 1, null].map((
    readOnly,
  ) => [{ key: "pk_secret", readOnly }]),
  "API key number 3 must be sha256: and 64 hex digits": INVALID_DIGESTS.map((digest) => [
    "one",
    "two",
    `sha256:${digest}`,
  ]),
};

test("createPetstore() refuses wrong keys, and says which one is wrong and why", () => {
  for (const [message, all] of Object.entries(WRONG_KEYS)) {
    for (const keys of all as PetstoreOptions["keys"][]) {
      assert.throws(() => createPetstore({ keys }), { name: "TypeError", message });
    }
  }
});
