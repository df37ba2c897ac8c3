/**
 * What a user writes in an hour: Deno.serve, the key compared, a prepared statement for a pet, a page and a create. It sends the
 * petstore's headers, and its entity tag is the id, as no pet changes. It checks no pet.
 */

import { AUTHORIZATION, type BenchPet } from "../catalogue.ts";
import { listen, readSettings } from "./host.ts";
import { linkTo, positionOf } from "./peer_pages.ts";
import { createTable, INSERT, type PeerSettings } from "./peer_table.ts";

interface Row {
  id: bigint;
  json: string;
}

const JSON_FIELDS = { "content-type": "application/json", "x-content-type-options": "nosniff" };
const DEPRECATION = {
  deprecation: "@1795132800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: '</v1/pets>; rel="successor-version"',
};

const db = createTable(readSettings<PeerSettings>());
const JSON_OF_PET = "json_object('id', id, 'name', name, 'categoryId', categoryId, 'status', status) AS json";
const one = db.prepare(`SELECT ${JSON_OF_PET} FROM pets WHERE id = ?`);
const next = db.prepare(`SELECT id, ${JSON_OF_PET} FROM pets WHERE id > ? ORDER BY id LIMIT 21`);
const added = db.prepare(`${INSERT} RETURNING id, ${JSON_OF_PET}`);
next.setReadBigInts(true);
added.setReadBigInts(true);

await listen((request) => {
  const { method, url, headers } = request;
  const target = url.slice(url.indexOf("/", 8));
  if (headers.get("authorization") !== AUTHORIZATION) return fail(401);
  if (method === "POST" && target === "/v1/pets") return request.json().then(create);
  if (method !== "GET") return fail(405);
  const [, id] = /^\/v1\/pets\/(\d+)$/.exec(target) ?? [];
  return id === undefined ? page(target) : get(id);
});

function get(id: string): Response {
  const row = one.get(BigInt(id));
  if (row === undefined) return fail(404);
  return new Response(row["json"] as string, { headers: { ...JSON_FIELDS, etag: `"${id}"`, ...DEPRECATION } });
}

function create({ name, categoryId, status }: BenchPet): Response {
  const { id, json } = added.get(name, categoryId, status) as unknown as Row;
  const headers = { ...JSON_FIELDS, location: `/v1/pets/${id}`, etag: `"${id}"` };
  return new Response(json, { status: 201, headers });
}

function page(target: string): Response {
  const [, cursor] = /^\/v1\/pets\?(?:limit=20&)?cursor=(\w+)$/.exec(target) ?? [];
  if (cursor === undefined) return fail(404);
  const rows = next.all(BigInt(positionOf(cursor))) as unknown as Row[];
  const shown = rows.slice(0, 20), last = Number(shown.at(-1)?.id ?? 0);
  const link = rows.length > 20 ? { link: linkTo(last, 20, undefined) } : undefined;
  const headers = { ...JSON_FIELDS, etag: `"${cursor}-${last}"`, ...link };
  return new Response(`[${shown.map(({ json }) => json).join(",")}]`, { headers });
}

function fail(status: number): Response {
  const body = `{"code":"failed","message":"The request failed","status":${status}}`;
  return new Response(body, { status, headers: JSON_FIELDS });
}
