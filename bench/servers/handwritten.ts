/**
 * What a user writes in an hour: the server of the runtime, the key compared, a prepared statement for a pet, a page and a create, or
 * a Map without creates. It sends the petstore's headers, and its entity tag is the id, as no pet changes. It checks no pet.
 */

import { createServer } from "node:http";
import { AUTHORIZATION, type BenchPet, petAt } from "../catalogue.ts";
import { listen, listenOnNode, readSettings } from "./host.ts";
import { linkTo, positionOf } from "./peer_pages.ts";

export interface HandwrittenSettings {
  pets: number;
  /** The database file; without one, pets are in a Map. */
  path?: string;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

interface Source {
  get(id: bigint): string | undefined;
  /** The pets after an id, up to 21, of one status or of all. */
  page(after: bigint, status: string | undefined): { id: bigint; json: string }[];
  /** Committed, and on disk. */
  create(pet: BenchPet): { id: bigint; json: string };
}

const JSON_FIELDS = { "content-type": "application/json", "x-content-type-options": "nosniff" };
const DEPRECATION = {
  deprecation: "@1795132800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: '</v1/pets>; rel="successor-version"',
};
const { pets, path } = readSettings<HandwrittenSettings>();
const source = path === undefined ? createMap() : await openTable(path);

if ("Deno" in globalThis) {
  await listen((request) => {
    const { method, url, headers } = request;
    const target = url.slice(url.indexOf("/", 8)), authorization = headers.get("authorization");
    const send = ({ body, ...init }: Answer) => new Response(body, init);
    if (method !== "POST") return send(answer(method, target, authorization));
    return request.json().then((pet) => send(create(target, authorization, pet)));
  });
} else {
  listenOnNode(createServer(({ method = "", url = "", headers: { authorization = null } }, response) => {
    const { status, headers, body } = answer(method, url, authorization);
    response.writeHead(status, { ...headers, "content-length": body.length }).end(body);
  }));
}

function answer(method: string, target: string, authorization: string | null): Answer {
  if (authorization !== AUTHORIZATION) return fail(401);
  if (method !== "GET") return fail(405);
  const [, id] = /^\/v1\/pets\/(\d+)$/.exec(target) ?? [];
  if (id === undefined) return page(target);
  const body = source.get(BigInt(id));
  if (body === undefined) return fail(404);
  return { status: 200, headers: { ...JSON_FIELDS, etag: `"${id}"`, ...DEPRECATION }, body };
}

function create(target: string, authorization: string | null, pet: BenchPet): Answer {
  if (authorization !== AUTHORIZATION) return fail(401);
  if (target !== "/v1/pets") return fail(404);
  const { id, json: body } = source.create(pet);
  return { status: 201, headers: { ...JSON_FIELDS, location: `${target}/${id}`, etag: `"${id}"` }, body };
}

function page(target: string): Answer {
  const [, status, cursor] = /^\/v1\/pets\?(?:limit=20&)?(?:status=(\w+)&)?cursor=(\w+)$/.exec(target) ?? [];
  if (cursor === undefined) return fail(404);
  const rows = source.page(BigInt(positionOf(cursor)), status);
  const shown = rows.slice(0, 20), last = Number(shown.at(-1)?.id ?? 0);
  const headers = { ...JSON_FIELDS, etag: `"${cursor}-${last}"` };
  const link = rows.length > 20 ? { link: linkTo(last, 20, status) } : undefined;
  return { status: 200, headers: { ...headers, ...link }, body: `[${shown.map(({ json }) => json).join(",")}]` };
}

function fail(status: number): Answer {
  return { status, headers: JSON_FIELDS, body: `{"code":"failed","message":"The request failed","status":${status}}` };
}

function createMap(): Source {
  const map = new Map<number, string>();
  for (let id = 1; id <= pets; id++) map.set(id, JSON.stringify({ id, ...petAt(id) }));
  return {
    get: (id) => map.get(Number(id)),
    page: () => [],
    create() {
      throw new Error("The Map takes no creates");
    },
  };
}

async function openTable(path: string): Promise<Source> {
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, categoryId INTEGER NOT NULL, status TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS pets_of_status ON pets (status); BEGIN`);
  const insert = db.prepare("INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?)");
  const known = db.prepare("SELECT max(id) AS last FROM pets").get()?.["last"];
  for (let id = Number(known) + 1; id <= pets; id++) {
    const { name, categoryId, status } = petAt(id);
    insert.run(name, categoryId, status);
  }
  db.exec("COMMIT");
  const json = "json_object('id', id, 'name', name, 'categoryId', categoryId, 'status', status) AS json";
  const one = db.prepare(`SELECT ${json} FROM pets WHERE id = ?`);
  const pages = (condition: string) => {
    const page = db.prepare(`SELECT id, ${json} FROM pets WHERE id > ? ${condition} ORDER BY id LIMIT 21`);
    page.setReadBigInts(true);
    return page;
  };
  const any = pages(""), ofStatus = pages("AND status = ?");
  const added = db.prepare(`INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?) RETURNING id, ${json}`);
  added.setReadBigInts(true);
  return {
    get: (id) => one.get(id)?.["json"] as string | undefined,
    page(after, status) {
      const rows = status === undefined ? any.all(after) : ofStatus.all(after, status);
      return rows as unknown as { id: bigint; json: string }[];
    },
    create({ name, categoryId, status }) {
      return added.get(name, categoryId, status) as unknown as { id: bigint; json: string };
    },
  };
}
