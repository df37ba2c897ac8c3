/** What users write for PostgreSQL on Node: Fastify with schemas, a `Pool` of node-postgres, and prepared statements. */

import fastify from "fastify";
// @ts-types="@types/pg"
import { Pool } from "pg";
import process from "node:process";
import { AUTHORIZATION, type BenchPet } from "../catalogue.ts";
import { createSchema, getSchema, listSchema } from "./fastify_schemas.ts";
import { announce, readSettings } from "./host.ts";
import { linkTo, type PeerPet, type PeerQuery, positionOf } from "./peer_pages.ts";

export interface FastifyPgSettings {
  url: string;
  /** The most connections to PostgreSQL. */
  max: number;
}

const COLUMNS = 'id, name, category_id AS "categoryId", status';
const page = (condition: string) => `SELECT ${COLUMNS} FROM peer_pets WHERE id > $1 ${condition} ORDER BY id LIMIT $2`;
const STATEMENTS = {
  pet: `SELECT ${COLUMNS} FROM peer_pets WHERE id = $1`,
  all: page(""),
  ofStatus: page("AND status = $3"),
  add: `INSERT INTO peer_pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
};

const { url, max } = readSettings<FastifyPgSettings>();
const pool = new Pool({ connectionString: url, max });

/** Prepared, by its name. */
async function query(name: keyof typeof STATEMENTS, ...values: unknown[]): Promise<PeerPet[]> {
  return (await pool.query<PeerPet>({ name, text: STATEMENTS[name], values })).rows;
}

const app = fastify();

app.addHook("onRequest", async (request, reply) => {
  if (request.headers.authorization !== AUTHORIZATION) return await reply.code(401).send({ code: "invalid_api_key" });
});

app.get<{ Querystring: PeerQuery }>("/v1/pets", { schema: listSchema }, async (request, reply) => {
  const { limit, status, cursor } = request.query;
  const bounds = [positionOf(cursor), limit + 1];
  const rows = status === undefined ? await query("all", ...bounds) : await query("ofStatus", ...bounds, status);
  const last = rows[limit - 1];
  if (last && rows.length > limit) reply.header("link", linkTo(last.id, limit, status));
  return rows.slice(0, limit);
});

app.post<{ Body: BenchPet }>("/v1/pets", { schema: createSchema }, async (request, reply) => {
  const { name, categoryId, status } = request.body;
  const [created] = await query("add", name, categoryId, status);
  return reply.code(201).header("location", `/v1/pets/${created?.id}`).send(created);
});

app.get<{ Params: { petId: number } }>("/v1/pets/:petId", { schema: getSchema }, async (request, reply) => {
  const [found] = await query("pet", request.params.petId);
  return found ?? reply.code(404).send({ code: "pet_not_found" });
});

await app.listen({ port: 0, host: "127.0.0.1" });
const address = app.server.address();
announce(typeof address === "object" && address ? address.port : 0);
process.on("SIGTERM", () => process.exit(0));
