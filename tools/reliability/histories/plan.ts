/** What clients ask for in a history, and which faults come: drawn from a seed by fast-check, which also makes it smaller. */

import fc from "fast-check";
import type { PetDraft } from "../../../lib/stores/store.ts";
import type { PetStatus } from "../../../mod.ts";

/** The time limit of a store, in milliseconds, and a delay beyond it. */
export const TIMEOUT = 1000, BEYOND_TIMEOUT = 1300;

export const MOST_SERVERS = 2;

/** A request. It goes to the server of this number. */
export type Step =
  & { server: number }
  & (
    | { kind: "create"; pet: PetDraft }
    /** A create that one client sends twice, or several do, each with the same pet. */
    | { kind: "create once"; key: string; pet: PetDraft }
    | { kind: "get"; id: number }
    | { kind: "list"; limit: number; status: PetStatus | undefined; pages: number }
  );

export interface Plan<Fault> {
  /** The pets that are there before. */
  pets: PetDraft[];
  servers: number;
  /** The requests of each client, which sends them one after the other. */
  clients: Step[][];
  faults: Fault[];
}

/** Every name of a pet begins like this. */
export const NAME = "pet-";

const STATUS = fc.constantFrom<PetStatus>("available", "pending", "sold");
const LIMIT = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(100));

/** Each name is given once: by its place in the plan. */
const DRAFT = fc.record({
  name: fc.record({ length: fc.oneof(fc.nat(3), fc.nat(120)), sign: fc.constantFrom("x", "é", '"', "\\", "👩") }).map(
    ({ length, sign }) => sign.repeat(length),
  ),
  categoryId: fc.constantFrom(7n, 2n ** 63n - 1n, -(2n ** 63n)),
  status: STATUS,
});

const SERVER = fc.nat(MOST_SERVERS - 1);

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ server: SERVER, kind: fc.constant("create" as const), pet: DRAFT }) },
  {
    weight: 3,
    arbitrary: fc.record({
      server: SERVER,
      kind: fc.constant("create once" as const),
      key: fc.constantFrom("a", "b", "c"),
      pet: DRAFT,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ server: SERVER, kind: fc.constant("get" as const), id: fc.integer({ min: 1, max: 24 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      server: SERVER,
      kind: fc.constant("list" as const),
      limit: LIMIT,
      status: fc.option(STATUS, { nil: undefined }),
      pages: fc.constantFrom(1, 4),
    }),
  },
);

const MOST_FAULTS = 4;

export function plans<Fault>(fault: fc.Arbitrary<Fault>): fc.Arbitrary<Plan<Fault>> {
  return fc.record({
    pets: fc.array(DRAFT, { maxLength: 16 }),
    servers: fc.integer({ min: 1, max: MOST_SERVERS }),
    clients: fc.array(fc.array(STEP, { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
    faults: fc.array(fault, { maxLength: MOST_FAULTS }),
  }).map(nameAll);
}

function nameAll<Fault>({ pets, clients, ...plan }: Plan<Fault>): Plan<Fault> {
  const named = (pet: PetDraft, name: string) => ({ ...pet, name: `${NAME}${name} ${pet.name}` });
  const drafts = new Map<string, PetDraft>();
  const stepOf = (step: Step, name: string): Step => {
    if (step.kind === "create") return { ...step, pet: named(step.pet, name) };
    if (step.kind !== "create once") return step;
    const pet = drafts.get(step.key) ?? named(step.pet, `key ${step.key}`);
    drafts.set(step.key, pet);
    return { ...step, pet };
  };
  return {
    ...plan,
    pets: pets.map((pet, i) => named(pet, `${i + 1}`)),
    clients: clients.map((steps, client) => steps.map((step, i) => stepOf(step, `${"abcd"[client]}${i + 1}`))),
  };
}
