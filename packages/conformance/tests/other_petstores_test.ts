/** Petstores of another make, which settle what the specification leaves open in other ways, pass its cases. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KEY } from "../../../tests/support/api.ts";
import { runCases } from "../../../tests/support/conformance.ts";
import { type Choices, createOther, type OtherPet } from "../../../tests/support/other_petstore.ts";

const hidden = ({ id, name, categoryId }: OtherPet) => ({ id, name, categoryId });
let views = 0;
const known = new Set<string>();
const addedAt = new WeakMap<OtherPet, number>();
const PAGE = { status: 404, headers: { "content-type": "text/html" } };

const OTHERS: Record<string, Choices> = {
  "shows no status": { show: hidden },
  "shows each status but the usual one": { show: (pet) => pet.status === "available" ? hidden(pet) : pet },
  "shows members of its own, which change, or are null or lists": {
    show: (pet) => ({ ...pet, link: `/pets/${pet.id}`, views: views++, owner: null, tags: [] }),
  },
  "takes names of up to 100 characters of ASCII": { accepts: ({ name }) => /^[\x20-\x7e]{1,100}$/.test(String(name)) },
  "takes each name once": { accepts: ({ name }, pets) => pets.every((pet) => pet.name !== name) },
  "has few categories": { accepts: ({ categoryId }) => categoryId === 7n || categoryId === 2n },
  "lists pets in an order of its own": {
    list: (pets) => pets.toSorted((a, b) => (String(a.name) < String(b.name) ? 1 : -1)),
  },
  "lists a pet a third of a second after it was added": {
    accepts: (pet) => !!addedAt.set(pet, Date.now()),
    list: (pets) => pets.filter((pet) => Date.now() - addedAt.get(pet)! > 333),
  },
  "begins with a large id, and counts by seven": { firstId: 9007199254740993n, step: 7n },
  "counts down from a large id": { firstId: 9007199254740993n, step: -1n },
  "writes JSON with spaces, and its media type in capitals": {
    space: 2,
    contentType: "Application/JSON; charset=utf-8",
  },
  "has errors of its own": { explain: ({ status }) => ({ code: `E${status}`, message: "", status, details: [] }) },
  "answers 404 to other methods": { otherMethods: 404 },
  "answers 400 to an id that is no number": { wrongId: 400 },
  "answers 400 to a filter or a parameter that it does not know": { wrongQuery: 400, parameters: /^(limit|status)$/ },
  "needs the media type": { mediaType: true },
  "takes the scheme in any case": { scheme: /^bearer +(.+)$/i },
  "links to the next page": { links: true },
  "has pages for paths that it does not know": { unknownPath: new Response("<h1>Not Found</h1>", PAGE) },
  "remembers which keys it has accepted": { accepted: (key) => known.has(key) || (key === KEY && !!known.add(key)) },
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

test("a petstore that ignores a part of the key fails, but not one that ignores its last bits", async () => {
  for (
    const [known, expected] of [[KEY.slice(0, -1), []], [KEY.slice(0, 5), [
      "shows and stores nothing without the right key, in any form",
    ]]] as const
  ) {
    const accepted = (key: string) => key.length === KEY.length && key.startsWith(known);
    const { failed } = await runCases({ fetch: createOther({ accepted }) }, "specification");
    assert.deepEqual(failed, expected, known);
  }
});
