/** The peer on Node: Fastify with schemas for requests and responses, and a hook that compares the key. */

import fastify from "fastify";
import { AUTHORIZATION, type BenchPet } from "../catalogue.ts";
import { listenOnNode } from "./host.ts";
import { createPet, getPet, listPets, type PeerQuery } from "./peer_pets.ts";

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
const listSchema = { querystring: query, response: { 200: { type: "array", items: pet } } };
const getSchema = { params: { type: "object", properties: { petId: id } }, response: { 200: pet } };
const createSchema = { body: newPet, response: { 201: pet } };

const app = fastify();
app.addHook("onRequest", (request, reply, done) => {
  if (request.headers.authorization === AUTHORIZATION) done();
  else reply.code(401).send({ code: "unauthorized" });
});

app.get<{ Querystring: PeerQuery }>("/v1/pets", { schema: listSchema }, (request, reply) => {
  const { page, link } = listPets(request.query);
  if (link !== undefined) reply.header("link", link);
  reply.send(page);
});

app.post<{ Body: BenchPet }>("/v1/pets", { schema: createSchema }, (request, reply) => {
  const created = createPet(request.body);
  reply.code(201).header("location", `/v1/pets/${created.id}`).send(created);
});

app.get<{ Params: { petId: number } }>("/v1/pets/:petId", { schema: getSchema }, (request, reply) => {
  const found = getPet(request.params.petId);
  if (found) reply.send(found);
  else reply.code(404).send({ code: "pet_not_found" });
});

await app.ready();
listenOnNode(app.server);
