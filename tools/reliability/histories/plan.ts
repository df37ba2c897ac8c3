/**
 * What clients ask for in a history, and which faults come: drawn from a seed by fast-check, which
 * also makes it smaller.
 */

import fc from "fast-check";
import type { PetDraft } from "../../../lib/stores/store.ts";
import type { PetStatus } from "../../../mod.ts";
import type { Fault } from "../../../tests/support/postgres/proxy.ts";

/** The time limit of a store, in milliseconds, and a delay beyond it. */
export const TIMEOUT = 1000, BEYOND_TIMEOUT = 1300;

/** How many servers share the database. */
export const SERVERS = 2;

/** A request. */
export type Asked =
  | { kind: "create"; pet: PetDraft; key: string | undefined }
  | { kind: "get"; id: number }
  | { kind: "list"; after: number; limit: number; status: PetStatus | undefined };

/**
 * A request, or a list with its next pages, to the server of this number. A create with a key is
 * sent again if it is refused.
 */
export type Step = Asked & { server: number; pages?: number };

export interface Plan {
  /** The pets that are there before. */
  pets: PetDraft[];
  /** The requests of each client, which sends them one after the other. */
  clients: Step[][];
  faults: Fault[];
}

/** Every name of a pet begins like this. */
const NAME = "pet-";

const STATUS = fc.constantFrom<PetStatus>("available", "pending", "sold");

const DRAFT: fc.Arbitrary<PetDraft> = fc.record({
  name: fc.tuple(fc.constantFrom("x", "é", '"', "\\", "👩"), fc.oneof(fc.nat(3), fc.nat(120)))
    .map(([sign, length]) => sign.repeat(length)),
  categoryId: fc.constantFrom(7n, 2n ** 63n - 1n, -(2n ** 63n)),
  status: STATUS,
});

const SERVER = fc.nat(SERVERS - 1);

const CREATE: fc.Arbitrary<Step> = fc.record({
  server: SERVER,
  kind: fc.constant("create"),
  pet: DRAFT,
  key: fc.constantFrom(undefined, undefined, undefined, "a", "b", "c"),
});

const GET: fc.Arbitrary<Step> = fc.record({
  server: SERVER,
  kind: fc.constant("get"),
  id: fc.integer({ min: 1, max: 24 }),
});

const LIST: fc.Arbitrary<Step> = fc.record({
  server: SERVER,
  kind: fc.constant("list"),
  after: fc.constant(0),
  limit: fc.constantFrom(1, 2, 3, 4, 100),
  status: fc.option(STATUS, { nil: undefined }),
  pages: fc.constantFrom(1, 4),
});

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

export const PLAN: fc.Arbitrary<Plan> = fc.record({
  pets: fc.array(DRAFT, { maxLength: 16 }),
  clients: fc.array(fc.array(fc.oneof(CREATE, CREATE, GET, LIST), { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
  faults: fc.array(FAULT, { maxLength: 4 }),
}).map(nameAll);

/** Gives each pet a name of its own, by its place in the plan. All creates with one key have the same pet. */
function nameAll({ pets, clients, ...plan }: Plan): Plan {
  const named = (pet: PetDraft, place: string) => ({ ...pet, name: `${NAME}${place} ${pet.name}` });
  const nameStep = (step: Step, place: string): Step => {
    if (step.kind !== "create") return step;
    const { key, pet } = step;
    const shared = { name: "👩", categoryId: 7n, status: "sold" } as const;
    return { ...step, pet: key === undefined ? named(pet, place) : named(shared, `key ${key}`) };
  };
  return {
    ...plan,
    pets: pets.map((pet, i) => named(pet, `${i + 1}`)),
    clients: clients.map((steps, client) => steps.map((step, i) => nameStep(step, `${client}.${i}`))),
  };
}
