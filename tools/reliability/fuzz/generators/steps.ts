import fc from "fast-check";
import { OPERATIONS } from "../../../../lib/operations/table.ts";
import type { Header } from "../prediction.ts";
import type { Step } from "../request.ts";
import { BODY, RIGHT_BODY } from "./bodies.ts";
import { AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, IDEMPOTENCY_KEY, IF_NONE_MATCH } from "./headers.ts";
import { PATH, pathOf, QUERY, RIGHT_QUERY } from "./targets.ts";
import { type Choice, weighted } from "./weighted.ts";

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

function step(
  methods: readonly string[],
  target: fc.Arbitrary<string>,
  headers: fc.Arbitrary<Header[]>,
  more: { body?: fc.Arbitrary<Step["body"]>; isWalk?: fc.Arbitrary<true> } = {},
): fc.Arbitrary<Step> {
  return fc.record({ method: fc.constantFrom(...methods), target, headers, framing: FRAMING, ...more }) as fc.Arbitrary<
    Step
  >;
}

const PETS = fc.constant("/v1/pets"), NO_QUERY = fc.constant("");
const READ = ["GET", "GET", "HEAD"];
const HEADERS_OF_POST = headers(AUTHORIZATION, CONTENT_TYPE, CONTENT_ENCODING, IDEMPOTENCY_KEY);
const HEADERS_OF_GET = headers(AUTHORIZATION, IF_NONE_MATCH);
const RIGHT_HEADERS = headers(
  AUTHORIZATION.filter((headers) => headers.length === 1),
  fc.constant<Header[]>([["Content-Type", "application/json"]]),
);

const RIGHT_WRITES = OPERATIONS.filter(({ effect }) => effect !== "reads").map(({ method, path }): Choice<Step> => [
  6,
  step([method], pathOf(path), headers(RIGHT_HEADERS, IDEMPOTENCY_KEY), { body: RIGHT_BODY }),
]);

export const SEQUENCES: fc.Arbitrary<Step[]> = fc.array(
  weighted<Step>(
    ...RIGHT_WRITES,
    [8, step(["POST"], target(PETS, weighted([9, NO_QUERY], [1, QUERY])), HEADERS_OF_POST, { body: BODY })],
    [6, step(READ, target(PETS, QUERY), HEADERS_OF_GET)],
    [4, step(READ, pathOf("/pets/{petId}"), HEADERS_OF_GET)],
    // The same requests again and again, whose responses a server keeps until a pet is added, by itself or by another server.
    [6, step(READ, fc.constantFrom("/v1/pets", "/v1/pets?status=sold"), RIGHT_HEADERS)],
    [1, step(["GET"], target(PETS, RIGHT_QUERY), RIGHT_HEADERS, { isWalk: fc.constant(true) })],
    [
      6,
      step(METHODS, target(PATH, weighted([1, NO_QUERY], [1, QUERY])), headers(HEADERS_OF_POST, IF_NONE_MATCH), {
        body: fc.option(BODY, { nil: undefined, freq: 2 }),
      }),
    ],
  ),
  { minLength: 1, maxLength: MAX_STEPS, size: "max" },
);
