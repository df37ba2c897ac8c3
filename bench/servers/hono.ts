/** The peer on Deno: Hono with its bearer-auth and its zod validator, without entity tags, deprecation and int64. */

import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { z } from "zod";
import { KEY } from "../catalogue.ts";
import { listen } from "./host.ts";
import { createPet, getPet, listPets } from "./peer_pets.ts";

const status = z.enum(["available", "pending", "sold"]);
const petsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: status.optional(),
  cursor: z.string().regex(/^[A-Za-z0-9]+$/).optional(),
});
const newPet = z.object({
  name: z.string().min(1).max(255),
  categoryId: z.number().int(),
  status: status.default("available"),
});
const petParameters = z.object({ petId: z.coerce.number().int().positive() });

const app = new Hono();
app.use("/v1/*", bearerAuth({ token: KEY }));
app.get("/v1/pets", zValidator("query", petsQuery), (context) => {
  const { page, link } = listPets(context.req.valid("query"));
  return link === undefined ? context.json(page) : context.json(page, 200, { link });
});
app.post("/v1/pets", zValidator("json", newPet), (context) => {
  const pet = createPet(context.req.valid("json"));
  return context.json(pet, 201, { location: `/v1/pets/${pet.id}` });
});
app.get("/v1/pets/:petId", zValidator("param", petParameters), (context) => {
  const pet = getPet(context.req.valid("param").petId);
  return pet ? context.json(pet) : context.json({ code: "pet_not_found" }, 404);
});

listen(app.fetch);
