import fc from "fast-check";
import type { Header } from "../prediction.ts";
import type { Step } from "../request.ts";
import { BODY, RIGHT_BODY } from "./bodies.ts";
import { AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, EXTRA, IDEMPOTENCY_KEY, IF_NONE_MATCH } from "./headers.ts";
import { PATH, PET_PATH, QUERY, RIGHT_QUERY } from "./targets.ts";
import { weighted } from "./weighted.ts";

/** The most steps of a sequence; a walk through pages is one. */
const MAX_STEPS = 40;

const METHODS = "GET HEAD OPTIONS POST PUT PATCH DELETE PROPFIND get Post patch __proto__".split(" ");

const FRAMING = fc.constantFrom("length" as const, "pieces" as const);

function headers(...parts: fc.Arbitrary<Header[]>[]): fc.Arbitrary<Header[]> {
  return fc.tuple(...parts).map((lists) => lists.flat());
}

function target(path: fc.Arbitrary<string>, query: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(path, query).map((parts) => parts.join(""));
}

const PETS = fc.constant("/v1/pets");
const NO_QUERY: fc.Arbitrary<string> = fc.constant("");
const HEADERS_OF_POST = headers(
  AUTHORIZATION,
  CONTENT_TYPE,
  CONTENT_ENCODING,
  EXTRA,
  IDEMPOTENCY_KEY,
);
const HEADERS_OF_GET = headers(AUTHORIZATION, IF_NONE_MATCH, EXTRA);
const GET_OR_HEAD = fc.constantFrom("GET", "GET", "HEAD");

const RIGHT_CREATE = fc.record({
  method: fc.constant("POST"),
  target: target(PETS, NO_QUERY),
  headers: headers(right(), IDEMPOTENCY_KEY),
  body: RIGHT_BODY,
  framing: FRAMING,
});
const CREATE = fc.record({
  method: fc.constant("POST"),
  target: target(PETS, weighted([9, NO_QUERY], [1, QUERY])),
  headers: HEADERS_OF_POST,
  body: BODY,
  framing: FRAMING,
});
const READ = fc.record({ method: GET_OR_HEAD, headers: HEADERS_OF_GET, framing: FRAMING });
const LIST = fc.tuple(READ, target(PETS, QUERY)).map(([read, target]) => ({ ...read, target }));
const GET = fc.tuple(READ, target(PET_PATH, NO_QUERY)).map(([read, target]) => ({ ...read, target }));
const WALK = fc.record({
  method: fc.constant("GET"),
  target: target(PETS, RIGHT_QUERY),
  headers: right(),
  framing: FRAMING,
  isWalk: fc.constant(true),
});

function right(): fc.Arbitrary<Header[]> {
  return AUTHORIZATION.filter((headers) => headers.length === 1).map((headers): Header[] => [
    ...headers,
    ["Content-Type", "application/json"],
  ]);
}

const ANYTHING = fc.record({
  method: fc.constantFrom(...METHODS),
  target: target(PATH, weighted([1, NO_QUERY], [1, QUERY])),
  headers: headers(HEADERS_OF_POST, IF_NONE_MATCH),
  body: BODY,
  framing: FRAMING,
}, { requiredKeys: ["method", "target", "headers", "framing"] });

export const SEQUENCES: fc.Arbitrary<Step[]> = fc.array(
  weighted<Step>([6, RIGHT_CREATE], [8, CREATE], [6, LIST], [4, GET], [1, WALK], [6, ANYTHING]),
  { minLength: 1, maxLength: MAX_STEPS, size: "max" },
);
