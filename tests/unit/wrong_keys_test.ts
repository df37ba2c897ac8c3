/** The option `keys`: what createPetstore() refuses, and its words, which show no key. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore } from "../../mod.ts";

const FIRST = "API key number 1 must be 1 to 4096 visible ASCII characters, no space or comma";
const SECOND = "API key number 2 must be a key, but is undefined or empty; is an environment variable not set?";
const DIGEST = "API key number 3 must be sha256: and 64 hex digits";

/** Wrong values of the option, each with the message that says why. */
const WRONG_KEYS: [values: unknown[], message: string][] = [
  [
    [undefined, null, "pk_secret", 7, { key: "pk_secret" }, [], new Set()],
    "Option keys must be API keys, such as keys: [key], a key manager or a function",
  ],
  [["pk_secret ", "pk_secret\n", "pk_secret,pk_other", "pk_é", "\u007f", null, 7].map((key) => [{ key }]), FIRST],
  [[["pk secret"], ["pk_secret".padEnd(4097, "x")], [{ key: ["pk_secret"] }]], FIRST],
  // The value is that of an environment variable which is not set.
  [[undefined, "", { key: "" }, { key: undefined }, { caller: "shop" }].map((key) => ["right", key]), SECOND],
  [
    [["right", { key: "pk_secret", expire: new Date(0) }]],
    "API key number 2 must have no members but key, caller, expires and readOnly",
  ],
  [["", 7, null].map((caller) => [{ key: "pk", caller }]), "API key number 1 must have a caller that is not empty"],
  [
    ["2030-01-01", 7, new Date(NaN), null].map((expires) => [{ key: "pk", expires }]),
    "API key number 1 must have a valid Date as expires",
  ],
  [["no", 1, null].map((readOnly) => [{ key: "pk", readOnly }]), "API key number 1 must have a boolean as readOnly"],
  [["", "pk".repeat(32), "ab".repeat(31), `0${"ab".repeat(32)}`].map((hex) => ["a", "b", `sha256:${hex}`]), DIGEST],
];

test("createPetstore() refuses wrong keys, and says which one is wrong and why", () => {
  for (const [values, message] of WRONG_KEYS) {
    for (const keys of values) {
      assert.throws(() => createPetstore({ keys: keys as never }), { name: "TypeError", message });
    }
  }
});
