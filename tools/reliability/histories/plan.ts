/**
 * What clients ask for in a history, and which faults come: drawn from a seed by fast-check, which
 * also makes it smaller.
 */

import fc from "fast-check";
import type { Fault } from "../../../tests/support/postgres/proxy.ts";
import { bytesOf } from "../fuzz/bodies.ts";
import { RIGHT_HEADERS, type Step, step } from "../fuzz/requests.ts";
import { weighted } from "../fuzz/weighted.ts";

/** The time limit of a store, in milliseconds, and a delay beyond it. */
export const TIMEOUT = 1000, BEYOND_TIMEOUT = 1300;

export interface Plan {
  /** The requests of each client, which sends them one after the other. */
  clients: Step[][];
  faults: Fault[];
}

/** Every name of a pet begins like this. `{place}` stands for the place of its create in the plan. */
const NAME = "pet-";

const TEXT = fc.tuple(fc.constantFrom("x", "é", '"', "\\", "👩"), fc.oneof(fc.nat(3), fc.nat(120)))
  .map(([sign, length]) => sign.repeat(length));

const CATEGORY_ID = fc.constantFrom(7n, 2n ** 63n - 1n, -(2n ** 63n));

const STATUS = fc.constantFrom("available", "pending", "sold");

const PETS = fc.constant("/v1/pets");

const CREATE = step(
  ["POST"],
  PETS,
  [RIGHT_HEADERS],
  fc.tuple(TEXT, CATEGORY_ID, STATUS).map(([text, categoryId, status]) =>
    bytesOf(`{"name":${JSON.stringify(`${NAME}{place} ${text}`)},"categoryId":${categoryId},"status":"${status}"}`)
  ),
);

/** All creates with one key have the same pet. */
const CREATE_ONCE = fc.constantFrom("a", "b").chain((key) =>
  step(
    ["POST"],
    PETS,
    [RIGHT_HEADERS, fc.constant([["Idempotency-Key", key]])],
    fc.constant(bytesOf(`{"name":"${NAME}key ${key} 👩","categoryId":7}`)),
  )
);

const ID = fc.constantFrom("{id}", 1, 2, 3, 4, 5, 6, 7, 8);
const GET = step(["GET"], ID.map((id) => `/v1/pets/${id}`), [RIGHT_HEADERS]);

const QUERY = fc.tuple(
  fc.constantFrom(1, 3, 100).map((limit) => `limit=${limit}`),
  fc.constantFrom("", "", "&status=sold"),
  fc.constantFrom("", "&cursor={next}"),
);
const LIST = step(["GET"], QUERY.map((parts) => `/v1/pets?${parts.join("")}`), [RIGHT_HEADERS]);

/**
 * One fault in three is within a create: half of it is sent, or PostgreSQL has not answered yet, or
 * the answer is cut.
 */
const FAULT: fc.Arbitrary<Fault> = fc.record({
  side: fc.constantFrom("client", "server"),
  bytes: fc.oneof(fc.nat(40), fc.nat(400), fc.nat(4000)),
  within: fc.constantFrom(undefined, undefined, NAME),
  effect: fc.constantFrom<Fault["effect"]>("end", "reset", 3, BEYOND_TIMEOUT),
});

const STEPS = fc.array(weighted([5, CREATE], [2, CREATE_ONCE], [3, GET], [4, LIST]), { maxLength: 8 });

export const PLAN: fc.Arbitrary<Plan> = fc.record({
  clients: fc.array(STEPS, { minLength: 2, maxLength: 4 }),
  faults: fc.array(FAULT, { maxLength: 4 }),
}).map(({ clients, faults }) => ({
  clients: clients.map((steps, client) =>
    steps.map((step, i) => ({ ...step, body: step.body?.replace("{place}", `${client}.${i}`) }))
  ),
  faults,
}));
