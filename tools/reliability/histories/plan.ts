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
    /** With a key, one client sends it again if it was refused, or several clients send it, each with the same pet. */
    | { kind: "create"; pet: PetDraft; key: string | undefined }
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

const KEY = fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined, freq: 2 });

/** A request of one kind, with the weight of the kind. */
function ofKind<Kind extends string, More extends object>(
  weight: number,
  kind: Kind,
  more: { [Name in keyof More]: fc.Arbitrary<More[Name]> },
) {
  const parts = { server: fc.nat(MOST_SERVERS - 1), kind: fc.constant(kind) };
  return {
    weight,
    arbitrary: fc.tuple(fc.record(parts), fc.record(more)).map(([one, other]) => ({ ...one, ...other })),
  };
}

const STEP: fc.Arbitrary<Step> = fc.oneof(
  ofKind(6, "create", { key: KEY, pet: DRAFT }),
  ofKind(3, "get", { id: fc.integer({ min: 1, max: 24 }) }),
  ofKind(4, "list", { limit: LIMIT, status: fc.option(STATUS, { nil: undefined }), pages: fc.constantFrom(1, 4) }),
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
    if (step.kind !== "create") return step;
    if (step.key === undefined) return { ...step, pet: named(step.pet, name) };
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
