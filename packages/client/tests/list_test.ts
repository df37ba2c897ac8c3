/** The lists of a client: their pages, and what a server may say of the next one. */

import assert from "node:assert/strict";
import test from "node:test";
import { linkTo } from "../lib/response_fields.ts";
import { answeredBy, failed, inProcess } from "./support.ts";

/** A client of a petstore with seven pets, of which every second one is sold, and the requests that it sends. */
async function withPets() {
  const { pets, requests } = inProcess();
  for (let i = 0; i < 7; i++) {
    await pets.create({ name: `Pet ${i}`, categoryId: 7n, status: i % 2 === 0 ? "sold" : "pending" });
  }
  requests.length = 0;
  return { pets, requests };
}

const namesOf = (pets: readonly { name: string }[]) => pets.map(({ name }) => name);

test("list() follows Link to the end, asks for a page when it is needed, and begins anew each time", async () => {
  const { pets, requests } = await withPets();
  const options = { limit: 2, status: "sold" as const };
  const list = pets.list(options);
  assert.equal(requests.length, 0);
  // What the caller makes of its object afterwards is no matter of this list.
  Object.assign(options, { limit: 1, status: "pending" });
  for (let round = 1; round <= 2; round++) {
    assert.deepEqual(namesOf(await Array.fromAsync(list)), ["Pet 0", "Pet 2", "Pet 4", "Pet 6"]);
    assert.equal(requests.length, 2 * round);
  }
  assert.deepEqual((await Array.fromAsync(pets.list({ limit: 3 }).pages())).map(({ length }) => length), [3, 3, 1]);
  requests.length = 0;
  for await (const { name } of pets.list({ limit: 1 })) if (name === "Pet 1") break;
  assert.equal(requests.length, 2);
});

test("page() gets one page, and the cursor with which the next call gets the next", async () => {
  const { pets, requests } = await withPets();
  // The cursor as the query of a request has it: null for the first page.
  const first = await pets.page({ status: "sold", limit: 3, cursor: null });
  const second = await pets.page({ status: "sold", limit: 3, cursor: first.nextCursor });
  assert.deepEqual([first, second].map((page) => namesOf(page.pets)), [["Pet 0", "Pet 2", "Pet 4"], ["Pet 6"]]);
  assert.equal(second.nextCursor, undefined);
  assert.equal(requests.length, 2);
  const { nextCursor } = await pets.page({ limit: 6 });
  assert.deepEqual(namesOf(await pets.list({ cursor: nextCursor }).toArray()), ["Pet 6"]);
  assert.equal((await failed(pets.page({ cursor: "&status=sold" }))).code, "invalid_cursor");
});

test("list() ends in the middle of a page when its signal is aborted", async () => {
  const { pets } = await withPets();
  const controller = new AbortController(), seen: string[] = [];
  const list = async () => {
    for await (const { name } of pets.list({ signal: controller.signal })) {
      seen.push(name);
      controller.abort(new Error("The user has left"));
    }
  };
  await assert.rejects(list(), /The user has left/);
  assert.deepEqual(seen, ["Pet 0"]);
});

/**
 * What a server answers to a request, numbered from 0: the ids of the pets, and the target of the
 * link to the next page.
 */
type Answer = (number: number) => [ids: number[], next?: string | undefined];

/** A client of a server with these answers, and the addresses that it asks for. */
function listing(answer: Answer) {
  const asked: string[] = [];
  const pets = answeredBy(({ url }) => {
    const [ids, next] = answer(asked.push(url) - 1);
    // After many pages there is no link, so that a test which fails ends.
    const headers = next === undefined || asked.length > 500 ? {} : { link: `<${next}>; rel="next"` };
    return Response.json(ids.map((id) => ({ id, name: "Rex", categoryId: 7 })), { headers });
  });
  return { pets, asked };
}

test("of a link, only the query is used: it goes to baseUrl, whatever the origin of the link is", async () => {
  for (const target of ["https://other.example/pets", "/v1/pets/", ""]) {
    const { pets, asked } = listing((number) => number === 0 ? [[1], `${target}?cursor=x`] : [[2]]);
    assert.deepEqual((await pets.list().toArray()).map(({ id }) => id), [1n, 2n]);
    assert.deepEqual(asked, ["http://localhost/v1/pets", "http://localhost/v1/pets?cursor=x"]);
  }
});

test("a link to something other than the list is an error, and for page() one without a cursor", async () => {
  for (const target of ["/v1/pets/7?cursor=x", "http://[/pets"]) {
    const { pets, asked } = listing(() => [[], target]);
    assert.equal((await failed(pets.list().toArray())).code, "unexpected_response", target);
    assert.equal(asked.length, 1);
  }
  const answer: Answer = (number) => number === 0 ? [[], "/v1/pets?page=2"] : [[]];
  assert.deepEqual(await listing(answer).pets.list().toArray(), []);
  assert.match((await failed(listing(answer).pets.page())).message, /no cursor$/);
});

/** The field Link (RFC 8288), as petstores and their proxies write it, and the target of its next page. */
const LINKS: [field: string, target: string | undefined][] = [
  ["</a>; rel=prev,</b>; rel=next, </c>; rel=last", "/b"],
  ['</a> ; title="b, c" ; REL="prev next"', "/a"],
  ['</a>; rel="prev", </b,c>; rel="next"; title="d", </e>; rel="next"', "/b,c"],
  ['</a; rel="next"', undefined],
  ['</a>; rel="nextpage"', undefined],
  ['</next>; rel="prev"; title="next"', undefined],
];

test("the next page of a Link is the target of the first link with that relation", () => {
  for (const [field, target] of LINKS) assert.equal(linkTo(new Headers({ link: field }), "next"), target, field);
});

/** Lists without an end, and the number of requests after which the client has noticed that. */
const ENDLESS: [answer: Answer, requests: number][] = [
  [(number) => [[], `?cursor=${number}`], 100],
  [(number) => [number % 2 === 0 ? [7] : [], `?cursor=${number}`], 101],
  [(number) => [[7 + number % 3], `?cursor=${number % 3}`], 103],
];

test("a list without an end is an error, and one with many empty pages is not", async () => {
  const sparse: Answer = (number) => [number % 2 ? [] : [number], number < 300 ? `?cursor=${number}` : undefined];
  assert.equal((await listing(sparse).pets.list().toArray()).length, 151);
  for (const [answer, requests] of ENDLESS) {
    const { pets, asked } = listing(answer);
    assert.equal((await failed(pets.list().toArray())).code, "unexpected_response");
    assert.equal(asked.length, requests);
  }
});
