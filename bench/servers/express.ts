/** The peer on Node: Express with its JSON parser, zod, and a check of the key. It omits the same features as hono.ts. */

// @ts-types="@types/express"
import express, { type Response } from "express";
import { createServer } from "node:http";
import process from "node:process";
import { AUTHORIZATION } from "../catalogue.ts";
import { listenOnNode, readSettings } from "./host.ts";
import { openPeerPets, type PeerSettings } from "./peer_pets.ts";
import { NEW_PET_BODY, PET_PARAMETERS, PETS_QUERY } from "./zod_schemas.ts";

const pets = await openPeerPets(readSettings<PeerSettings>());
const app = express();

app.use((request, response, next) => {
  if (request.headers.authorization === AUTHORIZATION) next();
  else response.status(401).json({ code: "invalid_api_key" });
});
app.use(express.json());

app.get("/v1/pets", (request, response) => {
  const query = PETS_QUERY.safeParse(request.query);
  if (!query.success) return refuse(response);
  const { page, link } = pets.list(query.data);
  if (link !== undefined) response.set("link", link);
  response.json(page);
});

app.post("/v1/pets", (request, response) => {
  const body = NEW_PET_BODY.safeParse(request.body);
  if (!body.success) return refuse(response);
  const pet = pets.create(body.data);
  response.status(201).location(`/v1/pets/${pet.id}`).json(pet);
});

app.get("/v1/pets/:petId", (request, response) => {
  const parameters = PET_PARAMETERS.safeParse(request.params);
  if (!parameters.success) return refuse(response);
  const pet = pets.get(parameters.data.petId);
  if (pet) response.json(pet);
  else response.status(404).json({ code: "pet_not_found" });
});

function refuse(response: Response): void {
  response.status(400).json({ code: "invalid_request" });
}

listenOnNode(createServer(app));
process.on("SIGTERM", () => process.exit(0));
