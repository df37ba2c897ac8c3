/**
 * Twice the text takes at most twice the work, and no text many times that of a plain one: through a whole petstore, for
 * every text that a client sends.
 */

import assert from "node:assert/strict";
import test from "node:test";
import { loggedTarget } from "../../lib/server/log/access_log.ts";
import { createPetstore } from "../../mod.ts";
import { countWork } from "./counted_work.ts";

const KEY = "pk_test";
const N = 20_000;

/** Hostile texts of some length, and how the petstore is asked with one. */
interface Case {
  where: string;
  pieces: string[];
  request: (text: string) => Request;
}

function get(path: string, headers: Record<string, string> = {}): Request {
  return new Request(`http://petstore.test${path}`, { headers: { authorization: `Bearer ${KEY}`, ...headers } });
}

function post(body: string, headers: Record<string, string> = {}): Request {
  const all = { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers };
  return new Request("http://petstore.test/v1/pets", { method: "POST", headers: all, body });
}

const CASES: Case[] = [
  {
    where: "the path",
    pieces: ["/", "a", "%", "%/", "%ff/", "%2f", "%41", "%41/", "/%zz", "%c3%28"],
    request: (text) => get(`/v1/${text}`),
  },
  { where: "the id of a pet", pieces: ["1", "0", "%31", "%"], request: (text) => get(`/v1/pets/${text}`) },
  {
    where: "the query",
    pieces: [
      ...["&", "a&", "%&", "a=&", "=", "?", "+", "%", "%6c", "limit=1", "limit=1&", "limit=&status=&", "%6cimit&="],
      ...["%aaaaa&", "%ff%ff&", "%6cimix&", "limi%ff&", "a=%ff&", "limi&", "%6cimi%", "limit"],
    ],
    request: (text) => get(`/v1/pets?${text}`),
  },
  { where: "limit", pieces: ["1", "0", "%31", "+"], request: (text) => get(`/v1/pets?limit=${text}`) },
  { where: "cursor", pieces: ["A", "%41", "Mg"], request: (text) => get(`/v1/pets?cursor=YWZ0ZXI6${text}`) },
  {
    where: "the Authorization header",
    pieces: [" ", "a", "Bearer ", ","],
    request: (text) => get("/v1/pets", { authorization: `Bearer ${text}x` }),
  },
  {
    where: "If-None-Match",
    pieces: ['"', '"a",', "W/", " ,", '"0-'],
    request: (text) => get("/v1/pets", { "if-none-match": `${text}x` }),
  },
  {
    where: "Idempotency-Key",
    pieces: ["a", " ", ";", ";a", ';a="', ';a=\\"', ";a=1.1", ",", '\\"', "\\\\"],
    request: (text) => post("{}", { "idempotency-key": `"a"${text}` }),
  },
  {
    where: "a quoted Idempotency-Key",
    pieces: ["a", '\\"', "\\\\", '"', ";"],
    request: (text) => post("{}", { "idempotency-key": `"${text}"` }),
  },
  {
    where: "Content-Type",
    pieces: [";", " ;", "a", "/"],
    request: (text) => post("{}", { "content-type": `a${text}x` }),
  },
  {
    where: "Content-Encoding",
    pieces: [",", "identity,"],
    request: (text) => post("{}", { "content-encoding": `a${text}x` }),
  },
  {
    where: "the body",
    pieces: ["[", "{", '"', "\\", " ", '{"a":', "1", '"\\"', '{"categoryId":1}'],
    request: (text) => post(text),
  },
  {
    where: "the digits of categoryId",
    pieces: ["1", "0"],
    request: (text) => post(`{"name":"a","categoryId":1${text}}`),
  },
  {
    where: "the fraction of categoryId",
    pieces: ["0", "1"],
    request: (text) => post(`{"name":"a","categoryId":1.${text}e1${text.slice(0, 400)}}`),
  },
  {
    where: "the members of a body",
    pieces: ['"categoryId":1,', '"a":"\\\\",', '"\\u0063ategoryId":7,', '"":[{"categoryId":1}],', '"a"  :  1  ,'],
    request: (text) => post(`{${text}"name":"a","categoryId":1}`),
  },
  {
    where: "a string of a body",
    pieces: ["a", "\\\\", '\\"', "\\u0000", "é", "😀"],
    request: (text) => post(`{"name":"${text}","categoryId":7,"${text}":1}`),
  },
];

/** Allows for what does not grow, and for a text that is a few characters longer than its pieces. */
function assertLinear(once: number, twice: number, what: string): void {
  assert.ok(twice <= 2.1 * once + 2000, `${what}: ${once} characters looked at, and ${twice} of a text twice as long`);
}

async function workOf({ request }: Case, piece: string, length: number): Promise<number> {
  const { handle } = createPetstore({ keys: [KEY] });
  // The first request is where the keys are made ready.
  await handle(get("/v1/pets"));
  const asked = request(piece.repeat(Math.ceil(length / piece.length)));
  let status = 0;
  const work = await countWork(async () => status = (await handle(asked)).status);
  assert.ok(status >= 200 && status < 500, `${status}`);
  return work;
}

for (const each of CASES) {
  test(`the work of a request grows no faster than ${each.where}`, async () => {
    for (const piece of each.pieces) {
      assertLinear(await workOf(each, piece, N), await workOf(each, piece, 2 * N), JSON.stringify(piece));
    }
  });
}

/** A text that asks for nothing special, in the place where it is looked at most by an honest request. */
const PLAIN: Case = { where: "a plain query", pieces: ["a"], request: (text) => get(`/v1/pets?${text}`) };

/** How many times the work of a plain request any other of its size may take. */
const MAX_RATIO = 3;

test("a plain request is looked at no more than seven times", async () => {
  assert.ok(await workOf(PLAIN, "a", N) < 7 * N);
});

for (const each of CASES) {
  test(`no text in ${each.where} takes many times the work of a plain request that is as long`, async () => {
    const plain = await workOf(PLAIN, "a", N);
    for (const piece of each.pieces) {
      const work = await workOf(each, piece, N);
      assert.ok(work <= MAX_RATIO * plain, `${JSON.stringify(piece)}: ${work / plain} times as much`);
    }
  });
}

test("the work of a line of the access log grows no faster than the URL", async () => {
  for (const piece of ["a", "/", "%", "é", "\u202e", "?", "&", "limit=&", "limit=1&status=", "cursor="]) {
    for (const start of ["http://a/", "http://a/?", "http://a/?limit="]) {
      const work = (count: number) => countWork(() => loggedTarget(start + piece.repeat(count)));
      assertLinear(await work(N), await work(2 * N), JSON.stringify(start + piece));
    }
  }
});

test("the count of work sees a search that begins again for every piece, and digits that become a number", async () => {
  const searchAgain = (text: string) => {
    for (let i = 0; i < text.length; i++) text.indexOf("=", i);
  };
  for (const work of [searchAgain, (text: string) => BigInt(text)]) {
    const [once, twice] = [await countWork(() => work("1".repeat(N))), await countWork(() => work("1".repeat(2 * N)))];
    assert.throws(() => assertLinear(once, twice, ""), /twice as long/);
  }
  assert.equal(await countWork(() => "abcd".indexOf("c")), 3);
});

test("the count of work sees an exception", async () => {
  const fail = () => {
    try {
      decodeURIComponent("%");
    } catch {
      // As a decoder would.
    }
  };
  assert.ok(await countWork(fail) > 1000);
});
