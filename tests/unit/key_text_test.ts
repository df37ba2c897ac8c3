/** The form of the keys that are made here. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { isMistyped, makeKey } from "../../lib/access/key_text.ts";

test("a key has the prefix, 178 random bits and the CRC-32 of them in base 62", () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (let i = 0; i < 200; i++) {
    const key = makeKey();
    assert.match(key, /^petstore_[0-9A-Za-z]{36}$/);
    const [secret, check] = [key.slice(9, -6), key.slice(-6)];
    const value = Array.from(check).reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    assert.equal(value, crc32(secret), key);
    assert.equal(isMistyped(key), false);
  }
});

test("each character of a key is equally likely", () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 10_000; i++) {
    for (const digit of makeKey().slice(9, 39)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  }
  assert.equal(counts.size, 62);
  const expected = 300_000 / 62;
  // Seven standard deviations. If 248 were taken as a digit, one would be off by a quarter.
  for (const [digit, count] of counts) assert.ok(Math.abs(count - expected) < expected / 10, `${digit}: ${count}`);
});

test("a key with one character wrong, missing, doubled or swapped is mistyped, and a text of another kind is not", () => {
  for (let i = 0; i < 5; i++) {
    const key = makeKey();
    for (let at = 9; at < key.length; at++) {
      const [before, after] = [key.slice(0, at), key.slice(at + 1)];
      const typos = [
        before + (key[at] === "x" ? "y" : "x") + after,
        before + after,
        before + key[at] + key[at] + after,
      ];
      if (at > 9 && key[at] !== key[at - 1]) typos.push(key.slice(0, at - 1) + key[at] + key[at - 1] + after);
      for (const typo of typos) assert.ok(isMistyped(typo), `${key} ${typo}`);
    }
  }
  for (const text of ["", "petstore", "pk_example", makeKey().slice(1)]) assert.equal(isMistyped(text), false, text);
});
