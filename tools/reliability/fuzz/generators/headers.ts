/** Request headers, right and wrong, that HTTP can carry. */

import fc from "fast-check";
import type { Header } from "../prediction.ts";
import { KEY } from "../model.ts";
import { type Choice, weighted } from "./weighted.ts";

/** The right key in forms that are allowed. A character stands for one byte, because HTTP sends obs-text unchanged. */
const RIGHT_KEYS = [`bearer ${KEY}`, `BEARER  ${KEY}`, ` Bearer ${KEY}\t`];
const WRONG_KEYS = ["", "Bearer", `Bearer ${KEY} x`, `Bearer${KEY}`, `Bearer ${KEY}0`, KEY, `Basic ${btoa(`:${KEY}`)}`]
  .concat(`Bearer ${KEY}\xa0`, `Bearer ${"k".repeat(5000)}`);

/** The Authorization headers of a request: usually one, and the right one. */
export const AUTHORIZATION: fc.Arbitrary<Header[]> = weighted<string[]>(
  [30, [[`Bearer ${KEY}`]]],
  [2, RIGHT_KEYS.map((value) => [value])],
  [2, WRONG_KEYS.map((value) => [value])],
  [1, fc.constantFrom([], [`Bearer ${KEY}`, `Bearer ${KEY}`], ["", `Bearer ${KEY}`])],
).map((values) => values.map((value): Header => ["Authorization", value]));

const RIGHT_TYPES = ["APPLICATION/JSON", "application/json ; x=y", "application/json;"];
const WRONG_TYPES = ["", "text/plain", "application/jsonx", "*/*", "application/json, application/json"];

/** Makes at most one header, with weighted values. */
function perhaps(name: string, ...choices: Choice<string | null>[]): fc.Arbitrary<Header[]> {
  return weighted(...choices).map((value): Header[] => value === null ? [] : [[name, value]]);
}

export const CONTENT_TYPE: fc.Arbitrary<Header[]> = perhaps(
  "Content-Type",
  [3, [null]],
  [20, ["application/json"]],
  [2, RIGHT_TYPES],
  [2, WRONG_TYPES],
);

export const CONTENT_ENCODING: fc.Arbitrary<Header[]> = perhaps(
  "Content-Encoding",
  [40, [null]],
  [1, ["identity", "gzip", ""]],
);

/** The tag of the target and parts of lists, joined at random. */
const TAG_PARTS = ["{etag}", "{etag}", '"a-b"', 'W/"a-b"', ", ", ",", "\t", '"', "W/", "x", "*", ";q=1"];

export const IF_NONE_MATCH: fc.Arbitrary<Header[]> = perhaps(
  "If-None-Match",
  [6, [null]],
  [2, ["{etag}", "*", '"a-b", {etag}', '"x" ,\t{etag} , ,']],
  [2, fc.array(fc.constantFrom(...TAG_PARTS), { maxLength: 5 }).map((parts) => parts.join(""))],
);

const LONG = "k".repeat(255);

/** What a structured string, a bare key and its faults are made of. */
const KEY_CHARACTERS = fc.constantFrom('"', '"', "\\", "a", "b", " ", ",", ";", "\xe9", "\t");

/** There are few keys, so that they repeat. Some are the same key, bare and quoted. */
export const IDEMPOTENCY_KEY: fc.Arbitrary<Header[]> = perhaps(
  "Idempotency-Key",
  [12, [null]],
  [8, ["a", '"a"', "b"]],
  [1, ["1", '"1"', " a", LONG, `"${LONG}"`, `${LONG}k`, `"${LONG}k"`, '"a";p=1', '"a";p=']],
  [3, fc.string({ unit: KEY_CHARACTERS, maxLength: 6 })],
);
