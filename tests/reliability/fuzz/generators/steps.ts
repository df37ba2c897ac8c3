import fc from "fast-check";
import type { Header } from "../prediction.ts";
import type { Draft, Step } from "../request.ts";
import { BODY, RIGHT_BODY } from "./bodies.ts";
import { AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, EXTRA, IDEMPOTENCY_KEY, IF_NONE_MATCH } from "./headers.ts";
import { MALFORMED } from "./malformed.ts";
import { PATH, PET_PATH, QUERY, RIGHT_QUERY } from "./targets.ts";
import { type Choice, weighted } from "./weighted.ts";

export interface Carriage {
  /** Bytes as they are: targets in every form, methods that `Request` refuses, and bytes that are no HTTP. */
  isRaw: boolean;
}

/** The most steps of a sequence; a walk through pages is one. */
const MAX_STEPS = 40;

const METHODS = "GET HEAD OPTIONS POST PUT PATCH DELETE PROPFIND get Post patch __proto__".split(" ");
/** The Fetch standard forbids the first two. */
const RAW_METHODS = ["TRACE", "TRACK", "constructor", "M-SEARCH", "!#$%&'*+.^_`|~", "X".repeat(3000)];
const RAW_TARGETS = [
  "http://other.example/v1/pets",
  "http://other.example",
  "https://a.b/v1/pets?limit=1",
  "/v1/pets#x?y=z",
];

const FRAMING = fc.constantFrom("length" as const, "pieces" as const);
const NO_WALK = fc.constant(false);

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
  isWalk: NO_WALK,
});
const CREATE = fc.record({
  method: fc.constant("POST"),
  target: target(PETS, weighted([9, NO_QUERY], [1, QUERY])),
  headers: HEADERS_OF_POST,
  body: BODY,
  framing: FRAMING,
  isWalk: NO_WALK,
});
const READ = fc.record({ method: GET_OR_HEAD, headers: HEADERS_OF_GET, framing: FRAMING, isWalk: NO_WALK });
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

function anything({ isRaw }: Carriage): fc.Arbitrary<Draft> {
  const anyTarget = target(PATH, weighted([1, NO_QUERY], [1, QUERY]));
  return fc.record({
    method: fc.constantFrom(...METHODS, ...(isRaw ? RAW_METHODS : [])),
    target: isRaw ? weighted([9, anyTarget], [1, RAW_TARGETS]) : anyTarget,
    headers: headers(HEADERS_OF_POST, IF_NONE_MATCH),
    body: BODY,
    framing: FRAMING,
    isWalk: NO_WALK,
  }, { requiredKeys: ["method", "target", "headers", "framing", "isWalk"] });
}

export function sequences(carriage: Carriage): fc.Arbitrary<Step[]> {
  const malformed: Choice<Step>[] = carriage.isRaw ? [[1, MALFORMED]] : [];
  const step = weighted<Step>(
    [6, RIGHT_CREATE],
    [8, CREATE],
    [6, LIST],
    [4, GET],
    [1, WALK],
    [6, anything(carriage)],
    ...malformed,
  );
  return fc.array(step, { minLength: 1, maxLength: MAX_STEPS, size: "max" });
}
