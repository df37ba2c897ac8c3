/** The peer on Node: Fastify with schemas for requests and responses, and a hook that compares the key. */

import fastify from "fastify";
import { AUTHORIZATION, type BenchPet } from "../catalogue.ts";
import { createSchema, getSchema, listSchema } from "./fastify_schemas.ts";
import { listenOnNode, readSettings } from "./host.ts";
import type { PeerQuery } from "./peer_pages.ts";
import { openPeerPets, type PeerSettings } from "./peer_table.ts";

const pets = openPeerPets(readSettings<PeerSettings>());
const app = fastify();
app.addHook("onRequest", (request, reply, done) => {
  if (request.headers.authorization === AUTHORIZATION) done();
  else reply.code(401).send({ code: "unauthorized" });
});

app.get<{ Querystring: PeerQuery }>("/v1/pets", { schema: listSchema }, (request, reply) => {
  const { page, link } = pets.list(request.query);
  if (link !== undefined) reply.header("link", link);
  reply.send(page);
});

app.post<{ Body: BenchPet }>("/v1/pets", { schema: createSchema }, (request, reply) => {
  const created = pets.create(request.body);
  reply.code(201).header("location", `/v1/pets/${created.id}`).send(created);
});

app.get<{ Params: { petId: number } }>("/v1/pets/:petId", { schema: getSchema }, (request, reply) => {
  const found = pets.get(request.params.petId);
  if (found) reply.send(found);
  else reply.code(404).send({ code: "pet_not_found" });
});

await app.ready();
listenOnNode(app.server);
