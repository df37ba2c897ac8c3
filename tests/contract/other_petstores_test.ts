/** Petstores of another make, which settle what the specification leaves open in other ways, pass its cases. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { withClock } from "../../lib/testing/clock.ts";
import { parseExact } from "../../lib/testing/http/exact.ts";
import type { Handle } from "../../lib/testing/testing.ts";
import { KEY } from "../support/api.ts";
import { runCases } from "../support/conformance.ts";

type Pet = Record<"id" | "name" | "categoryId" | "status", unknown>;

/** Where petstores differ. */
interface Choices {
  /** Whether a pet may be added, beside those that are added. */
  accepts?(pet: Pet, pets: readonly Pet[]): boolean;
  /** A pet, as the petstore shows it. */
  show?(pet: Pet): Partial<Pet> & Record<string, unknown>;
  /** The pets of a list, from all that it may have. */
  list?(pets: readonly Pet[]): readonly Pet[];
  /** The answer to GET /pets/{petId}. */
  removed?: 404 | 410;
  accepted?(key: string): boolean;
}

function asJson(value: unknown, status = 200): Response {
  const text = JSON.stringify(value, (_, member) => typeof member === "bigint" ? `int ${member}` : member);
  const headers = { "content-type": "application/json" };
  return new Response(text.replaceAll(/"int (-?\d+)"/g, "$1"), { status, headers });
}

function refuse(status: number): Response {
  return asJson({ code: "refused", message: "It is refused", status }, status);
}

function isPet({ name, categoryId, status = "sold" }: Partial<Pet>): boolean {
  return typeof name === "string" && typeof categoryId === "bigint" && /^(available|pending|sold)$/.test(`${status}`) &&
    typeof status === "string";
}

function readPet(text: string): Partial<Pet> | undefined {
  try {
    return parseExact(text) as Partial<Pet>;
  } catch {
    return undefined;
  }
}

function createOther({ accepts, show = (pet) => pet, list = (all) => all, removed, accepted }: Choices): Handle {
  const pets: Pet[] = [];
  const isKey = accepted ?? ((key) => key === KEY);
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (!isKey(/^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "")) return refuse(401);
    if (request.method === "POST") {
      const text = await request.text();
      const pet = { status: "available", ...readPet(text), id: pets.length + 1 } as Pet;
      if (!isPet(pet) || accepts?.(pet, pets) === false) return refuse(400);
      pets.push(pet);
      return asJson(show(pet), 201);
    }
    const id = /\/pets\/(.*)$/.exec(pathname)?.[1];
    if (id !== undefined) {
      const pet = /^\d+$/.test(id) ? pets[Number(id) - 1] : undefined;
      return removed || !pet ? refuse(removed ?? 404) : asJson(show(pet));
    }
    const status = searchParams.get("status");
    const found = list(pets.filter((pet) => status === null || pet.status === status));
    return asJson(found.slice(0, Number(searchParams.get("limit") ?? 20)).map(show));
  };
}

const hidden = ({ id, name, categoryId }: Pet) => ({ id, name, categoryId });
let views = 0;
let added: ReadonlySet<Pet> = new Set();

/** The pets that there were at the time of the list before. */
function listedBefore(pets: readonly Pet[]): readonly Pet[] {
  const before = pets.filter((pet) => added.has(pet));
  added = new Set([...added, ...pets]);
  return before;
}

const OTHERS: Record<string, Choices> = {
  "shows no status": { show: hidden },
  "shows each status but the usual one": { show: (pet) => pet.status === "available" ? hidden(pet) : pet },
  "shows members of its own, which change": { show: (pet) => ({ ...pet, link: `/pets/${pet.id}`, views: views++ }) },
  "takes names of two letters or more": { accepts: ({ name }) => /^[A-Za-z]{2,}$/.test(String(name)) },
  "takes each name once": { accepts: ({ name }, pets) => pets.every((pet) => pet.name !== name) },
  "has few categories": { accepts: ({ categoryId }) => categoryId === 7n || categoryId === 2n },
  "has categories from 1": { accepts: ({ categoryId }) => Number(categoryId) >= 1 },
  "lists the newest first": { list: (pets) => pets.toReversed() },
  "lists a pet some time after it was added": { list: listedBefore },
};

for (const [how, choices] of Object.entries(OTHERS)) {
  test(`a petstore that ${how} passes the specification's cases, twice`, async () => {
    const fetch = createOther(choices);
    for (const round of [1, 2]) {
      const { failed, skipped, errors } = await runCases({ fetch }, "specification");
      assert.deepEqual([failed, skipped], [[], []], `${round}: ${errors[0]?.message}`);
    }
  });
}

const UNTIL_REMOVAL = Date.UTC(2030, 11, 5) - Date.now();

for (const removed of [404, 410] as const) {
  test(`a petstore that answers ${removed} to GET /pets/{petId} passes from 5 December 2030, and fails before`, async () => {
    const fetch = createOther({ removed });
    const before = await runCases({ fetch }, "specification");
    assert.ok(before.failed.includes("answers a pet by its id, as it was created"));
    const after = await withClock(UNTIL_REMOVAL + 60_000, () => runCases({ fetch }, "specification"));
    assert.deepEqual(after.failed, []);
    assert.ok(after.skipped.includes("answers a pet by its id, as it was created"));
    assert.ok(after.passed.includes("lists pets"));
  });
}

const PARTS_OF_KEYS = [
  "shows nothing to a request without the right key, in any dress",
  "stores nothing for a request without the right key, in any dress",
  "answers 401 to an invalid key",
];

test("a petstore that ignores a part of the key fails, but not one that ignores its last bits", async () => {
  for (
    const [known, expected] of [[KEY.slice(0, -1), []], [KEY.slice(0, 5), PARTS_OF_KEYS]] as const
  ) {
    const accepted = (key: string) => key.length === KEY.length && key.startsWith(known);
    const { failed } = await runCases({ fetch: createOther({ accepted }) }, "specification");
    assert.deepEqual(failed, expected, known);
  }
});
