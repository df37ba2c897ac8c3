/** The work of a request grows at most linearly with any text in it. It is counted through a whole petstore. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore } from "../../mod.ts";
import { countWork } from "./counted_work.ts";
import { KEY, petRequest } from "../support/pet_requests.ts";

const N = 20_000;

function get(path: string, headers: Record<string, string> = {}): Request {
  return petRequest(path, { headers });
}

function post(body: string, headers: Record<string, string> = {}): Request {
  return petRequest("/v1/pets", { method: "POST", headers, body });
}

type Ask = (text: string) => Request;

/** A request with this header, whose value contains the text between a start and an end. */
function withHeader(name: string, start: string, end: string, ask: (headers: Record<string, string>) => Request): Ask {
  return (text) => ask({ [name]: start + text + end });
}

const getWith = (headers: Record<string, string>) => get("/v1/pets", headers);
const postWith = (headers: Record<string, string>) => post("{}", headers);

/** Where a text stands in a request, the pieces that hostile texts repeat (␠ is a space), and the request. */
const CASES: Record<string, [pieces: string, ask: Ask]> = {
  "the path": ["/ a % %/ %ff/ %2f %41 %41/ /%zz %c3%28", (text) => get(`/v1/${text}`)],
  "the id of a pet": ["1 0 %31 %", (text) => get(`/v1/pets/${text}`)],
  "the query": [
    "& a& % + %6c limit=1 limit=1& limit=&status=& %6cimit&= %ff%ff& a=%ff&",
    (text) => get(`/v1/pets?${text}`),
  ],
  "limit": ["1 0 %31 +", (text) => get(`/v1/pets?limit=${text}`)],
  "cursor": ["A %41 Mg", (text) => get(`/v1/pets?cursor=YWZ0ZXI6${text}`)],
  "the Authorization header": [`␠ a Bearer␠ ,`, withHeader("authorization", "Bearer ", "x", getWith)],
  "If-None-Match": [`" "a", W/ ␠, "0-`, withHeader("if-none-match", "", "x", getWith)],
  "Idempotency-Key": [`a ␠ ; ;a ;a=" ;a=\\" ;a=1.1 , \\" \\\\`, withHeader("idempotency-key", '"a"', "", postWith)],
  "Content-Type": [`; ␠; a /`, withHeader("content-type", "a", "x", postWith)],
  "the body": [`[ { " \\ ␠ {"a": 1 "\\" {"categoryId":1}`, (text) => post(text)],
  "the exponent of categoryId": ["1 0", (text) => post(`{"name":"a","categoryId":1e${text}}`)],
  "the fraction of categoryId": ["0 1", (text) => post(`{"name":"a","categoryId":1.${text}e1${text.slice(0, 400)}}`)],
  "the members of a body": [
    `"categoryId":1, "a":"\\\\", "\\u0063ategoryId":7, "":[{"categoryId":1}], "a"␠:␠1␠,`,
    (text) => post(`{${text}"name":"a","categoryId":1}`),
  ],
  "the values of a body": [
    `0, "16384", {}, [], {"categoryId":1}, {"a":[]},`,
    (text) => post(`{"name":"a","categoryId":1.0,"x":[${text}0]}`),
  ],
  "a string of a body": ['{ a \\\\ \\" \\u0000 é 😀', (text) => post(`{"name":"${text}","categoryId":7,"${text}":1}`)],
};

async function workOf(ask: Ask, piece: string, length: number): Promise<number> {
  const { handle } = createPetstore({ keys: [KEY] });
  // The first request prepares the keys.
  await handle(get("/v1/pets"));
  const asked = ask(piece.repeat(Math.ceil(length / piece.length)));
  let status = 0;
  const work = await countWork(async () => status = (await handle(asked)).status);
  assert.ok(status >= 200 && status < 500, `${status}`);
  return work;
}

for (const [where, [pieces, ask]] of Object.entries(CASES)) {
  test(`the work of a request grows linearly with ${where}`, async () => {
    for (const piece of pieces.split(" ").map((text) => text.replaceAll("␠", " "))) {
      const once = await workOf(ask, piece, N);
      const twice = await workOf(ask, piece, 2 * N);
      // This allows for constant work, and for a text that is longer by a part of a piece.
      assert.ok(
        twice <= 2.1 * once + 2000,
        `${piece}: ${once} characters looked at, ${twice} for a text twice as long`,
      );
    }
  });
}
