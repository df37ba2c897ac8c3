/** Responses without pets: none may cost more than a response with a pet. */

import { checkStatus, readResponses } from "../responses.ts";
import type { Bench, Group } from "../bench.ts";
import { type Load, load } from "../load/wrk.ts";
import { measureRounds, rateRow, withLoads } from "../rounds.ts";
import type { Floor, Row } from "../row.ts";
import { POST } from "./library.ts";

const NOT_SLOWER: Floor = {
  bound: "at least",
  value: 1,
  missed:
    "The 200 is a kept response, of which a clone is sent; a refusal is made anew, and its text names what was wrong.",
};

/** Compared with the 200 for GET one, the same path. */
const REFUSALS: Record<string, Load> = {
  "401 for a wrong key": load("/v1/pets/4242", {
    status: 401,
    headers: { authorization: "Bearer pk_wrong_0123456789" },
  }),
  "404 for an unknown pet": load("/v1/pets/999999999", { status: 404 }),
  "404 for an unknown path": load("/v1/nothing", { status: 404 }),
  "400 for a wrong limit": load("/v1/pets?limit=0", { status: 400 }),
};

export const CHEAP_RESPONSES: Group = [
  { name: "refusals", quick: false, run: refusals },
  { name: "refused-post", quick: false, run: refusedPost },
];

async function refusals(bench: Bench): Promise<Row[]> {
  const server = await bench.petstore("memory");
  const one = load("/v1/pets/4242");
  const [response] = await readResponses(server, one);
  const etag = response?.headers.find(([name]) => name === "etag")?.[1] ?? "";
  const unchanged = load("/v1/pets/4242", { status: 304, headers: { "if-none-match": etag } });
  const loads: Record<string, Load> = { "200": one, "304 for an unchanged pet": unchanged, ...REFUSALS };
  for (const asked of Object.values(loads)) await checkStatus(server, asked);
  const { "200": base = [], ...series } = await measureRounds(withLoads(server, loads), bench.effort);
  const parts = { name: "refusals", title: "A response without a pet", base: "200 of GET one", floor: NOT_SLOWER };
  return Object.entries(series).map(([subject, measured]) => rateRow({ ...parts, subject }, measured, base));
}

async function refusedPost(bench: Bench): Promise<Row[]> {
  const server = await bench.petstore("memory");
  const refused = { ...POST, body: '{"name":"","categoryId":7}', status: 400 };
  for (const asked of [POST, refused]) await checkStatus(server, asked);
  const series = await measureRounds(withLoads(server, { post: POST, refused }), bench.effort);
  const parts = { name: "refused-post", title: "A refused POST", subject: "400 for a wrong pet", base: "201 of POST" };
  return [rateRow({ ...parts, floor: NOT_SLOWER }, series.refused, series.post)];
}
