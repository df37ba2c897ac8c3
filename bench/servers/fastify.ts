/** The peer on Node: Fastify with schemas for requests and responses, and a hook that compares the key. */

import fastify from "fastify";
import process from "node:process";
import { AUTHORIZATION, type BenchPet } from "../catalogue.ts";
import { announce, readSettings } from "./host.ts";
import type { PeerQuery } from "./peer_pages.ts";
import { openPeerPets, type PeerSettings } from "./peer_pets.ts";

const pets = await openPeerPets(readSettings<PeerSettings>());
const status = { type: "string", enum: ["available", "pending", "sold"] };
const id = { type: "integer", minimum: 1 };
const name = { type: "string", minLength: 1, maxLength: 255 };
const categoryId = { type: "integer" };
const pet = {
  type: "object",
  properties: { id, name, categoryId, status },
  required: ["id", "name", "categoryId", "status"],
};
const newPet = {
  type: "object",
  properties: { name, categoryId, status: { ...status, default: "available" } },
  required: ["name", "categoryId"],
};
const query = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "string", pattern: "^[A-Za-z0-9]+$" },
  },
};
const list = { querystring: query, response: { 200: { type: "array", items: pet } } };
const get = { params: { type: "object", properties: { petId: id } }, response: { 200: pet } };

const app = fastify();
app.addHook("onRequest", (request, reply, done) => {
  if (request.headers.authorization === AUTHORIZATION) done();
  else reply.code(401).send({ code: "unauthorized" });
});

app.get<{ Querystring: PeerQuery }>("/v1/pets", { schema: list }, (request, reply) => {
  const { page, link } = pets.list(request.query);
  if (link !== undefined) reply.header("link", link);
  reply.send(page);
});

app.post<{ Body: BenchPet }>("/v1/pets", { schema: { body: newPet, response: { 201: pet } } }, (request, reply) => {
  const created = pets.create(request.body);
  reply.code(201).header("location", `/v1/pets/${created.id}`).send(created);
});

app.get<{ Params: { petId: number } }>("/v1/pets/:petId", { schema: get }, (request, reply) => {
  const found = pets.get(request.params.petId);
  if (found) reply.send(found);
  else reply.code(404).send({ code: "pet_not_found" });
});

await app.listen({ port: 0, host: "127.0.0.1" });
const address = app.server.address();
announce(typeof address === "object" && address ? address.port : 0);
process.on("SIGTERM", () => process.exit(0));
