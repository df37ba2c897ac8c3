/** Sequences of requests, right and wrong, and how each is sent. */

import fc from "fast-check";
import { OPERATIONS } from "../../../lib/operations/table.ts";
import type { SeenResponse } from "../../../tests/support/openapi_validator.ts";
import { BODY, RIGHT_BODY } from "./bodies.ts";
import { IDEMPOTENCY_KEYS, KEY, type ModelRequest } from "./model.ts";
import { type Choice, weighted } from "./weighted.ts";

type Header = [name: string, value: string];

/**
 * A request. `{next}`, `{id}` and `{etag}` stand for parts of earlier responses, so that a
 * shortened sequence still makes sense.
 */
export type Step = ModelRequest;

const RIGHT_KEYS = [`bearer ${KEY}`, ` BEARER  ${KEY}\t`];
const WRONG_KEYS = [
  null,
  "",
  "Bearer",
  `Bearer ${KEY} x`,
  `Bearer ${KEY}0`,
  KEY,
  `Basic ${btoa(KEY)}`,
  `Bearer ${KEY}\xa0`,
];
const AUTHORIZATION = headers("Authorization", [30, [`Bearer ${KEY}`]], [2, RIGHT_KEYS], [2, WRONG_KEYS]);

const RIGHT_TYPES = [null, "APPLICATION/JSON", "application/json ; x=y"];
const WRONG_TYPES = ["", "text/plain", "application/jsonx", "application/json, application/json"];
const CONTENT = fc.tuple(
  headers("Content-Type", [20, ["application/json"]], [3, RIGHT_TYPES], [2, WRONG_TYPES]),
  headers("Content-Encoding", [40, [null]], [1, ["identity", "gzip", ""]]),
).map((lists) => lists.flat());

const IF_NONE_MATCH = headers(
  "If-None-Match",
  [6, [null]],
  [3, ["{etag}", "*", '"a-b", {etag}', '"x" ,\t{etag} , ,', 'W/"a-b"', ""]],
);

/** Those that come first are right and the most frequent. */
const KEYS = Object.keys(IDEMPOTENCY_KEYS);
const IDEMPOTENCY_KEY = headers("Idempotency-Key", [12, [null]], [8, KEYS.slice(0, 3)], [2, KEYS.slice(3)]);

/** At most one header, with weighted values. */
function headers(name: string, ...choices: Choice<string | null>[]): fc.Arbitrary<Header[]> {
  return weighted(...choices).map((value): Header[] => value === null ? [] : [[name, value]]);
}

/** Ids that no pet has, or that mean another one in other servers. */
const ODD_IDS = `0 01 1.5 -1 1%20 %31 9223372036854775808 ${"1".repeat(40)} constructor %zz .. a%2Fb é %`.split(" ");

const ID = weighted([5, ["{id}"]], [5, fc.nat({ max: 12 }).map(String)], [4, ODD_IDS]);

const ODD_PATHS =
  "/V1/pets /pets /v1/store%2Forders /v1/p%65ts /v1/pets/1/ //v1/pets /v1/% /livez /v1/pets;a=b /v1\\pets"
    .split(" ").concat(`/v1/pets/${"1".repeat(9000)}`);

const PARAMETERS = ("limit=1 limit=2 limit=3 limit=6 status=available status=pending status=sold cursor={next} " +
  "cursor={next}").split(" ");

/** Values that are wrong, names that are other ones, and both in notations that mean the same. */
const ODD_PARAMETERS = `
  limit= limit=0 limit=100 limit=101 limit=1.5 limit=1e1 limit=+5 limit=005 limit=%35 limit=%D9%A3 limit=99999999999999999999
  limit=1%00 limit=%zz %6cimit=2 LIMIT=2 limit limit=5;status=x
  status= status=Sold status=sold+ status=%73old status=sold,pending statu%73=sold Status=sold
  cursor={next}= cursor={next}%3D%3D cursor={next}A cursor=x{next} cursor= cursor=%F0%9F
  cursor=${forge("0")} cursor=${forge("05")} cursor=${forge("9223372036854775807")} cursor=${
  forge("9223372036854775808")
}
  = a=b __proto__=1 ?limit=3`.split(/\s+/);

/** The cursor after an id, which is opaque to clients. */
function forge(id: string): string {
  return btoa(`after:${id}`).replaceAll("=", "");
}

const QUERY = fc.array(weighted([9, PARAMETERS], [4, ODD_PARAMETERS]), { maxLength: 4 }).map((parameters) =>
  parameters.length === 0 ? "" : `?${parameters.join("&")}`
);

/** Targets of a template, with all kinds of ids. */
function targetOf(template: string): fc.Arbitrary<string> {
  return ID.map((id) => `/v1${template.replace(/\{\w+\}/, () => id)}`);
}

const LIST = QUERY.map((query) => `/v1/pets${query}`);
const OPERATION = fc.oneof(...OPERATIONS.map(({ path }) => targetOf(path)));
const TARGET = fc.tuple(weighted([10, OPERATION], [2, ODD_PATHS]), weighted([1, [""]], [1, QUERY]))
  .map((parts) => parts.join(""));

/**
 * The same targets again and again, whose responses a server keeps until a pet is added, by itself
 * or by another server.
 */
const KEPT = ["/v1/pets", "/v1/pets?status=sold"];

const READ = ["GET", "GET", "HEAD"];
const METHODS = "GET HEAD OPTIONS POST PUT PATCH DELETE PROPFIND get Post patch __proto__".split(" ");

export function step(
  methods: readonly string[],
  target: fc.Arbitrary<string>,
  headers: readonly fc.Arbitrary<Header[]>[],
  body: fc.Arbitrary<string | undefined> = fc.constant(undefined),
): fc.Arbitrary<Step> {
  return fc.record({
    method: fc.constantFrom(...methods),
    target,
    headers: fc.tuple(...headers).map((lists) => lists.flat()),
    body,
  });
}

export const RIGHT_HEADERS: fc.Arbitrary<Header[]> = fc.constant([["Authorization", `Bearer ${KEY}`], [
  "Content-Type",
  "application/json",
]]);

const RIGHT_WRITES = OPERATIONS.filter(({ effect }) => effect !== "reads").map((
  { method, path },
): Choice<Step> => [6, step([method], targetOf(path), [RIGHT_HEADERS, IDEMPOTENCY_KEY], RIGHT_BODY)]);

export const SEQUENCES: fc.Arbitrary<Step[]> = fc.array(
  weighted<Step>(
    ...RIGHT_WRITES,
    [8, step(["POST"], fc.constant("/v1/pets"), [AUTHORIZATION, CONTENT, IDEMPOTENCY_KEY], BODY)],
    [6, step(READ, LIST, [AUTHORIZATION, IF_NONE_MATCH])],
    [4, step(READ, targetOf("/pets/{petId}"), [AUTHORIZATION, IF_NONE_MATCH])],
    [6, step(READ, fc.constantFrom(...KEPT), [RIGHT_HEADERS])],
    [
      6,
      step(
        METHODS,
        TARGET,
        [AUTHORIZATION, CONTENT, IDEMPOTENCY_KEY, IF_NONE_MATCH],
        fc.option(BODY, { nil: undefined }),
      ),
    ],
  ),
  { minLength: 1, maxLength: 40, size: "max" },
);

/** Parts of the responses so far. */
export class Memory {
  #next = "none";
  #id = "0";
  #anyTag = '"none-yet"';
  readonly #tags = new Map<string, string>();

  resolve(step: Step): Step {
    const target = step.target.replaceAll("{next}", this.#next).replaceAll("{id}", this.#id);
    const tag = this.#tags.get(target) ?? this.#anyTag;
    const headers = step.headers.map(([name, value]): Header => [name, value.replaceAll("{etag}", tag)]);
    return { ...step, target, headers };
  }

  learn({ target }: Step, { headers }: SeenResponse): void {
    this.#next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(headers.get("link") ?? "")?.[1] ?? this.#next;
    this.#id = headers.get("location")?.split("/").at(-1) ?? this.#id;
    const tag = headers.get("etag");
    if (tag === null) return;
    this.#tags.set(target, tag);
    this.#anyTag = tag;
  }
}

export const ORIGIN = "http://petstore.test";

/** `Request` normalises URLs and some methods. */
export function createRequest({ method, target, headers, body }: Step): Request {
  if (/^(GET|HEAD)$/i.test(method) || body === undefined) return new Request(ORIGIN + target, { method, headers });
  const bytes = Uint8Array.from(body, (character) => character.charCodeAt(0));
  return new Request(ORIGIN + target, {
    method,
    headers: [...headers, ["content-length", `${bytes.length}`]],
    body: bytes,
  });
}
