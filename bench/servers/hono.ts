/** The peer on Deno: Hono with its bearer-auth and its zod validator, without entity tags, deprecation and int64. */

import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { KEY } from "../catalogue.ts";
import { listen, readSettings } from "./host.ts";
import { openPeerPets, type PeerSettings } from "./peer_table.ts";
import { NEW_PET_BODY, PET_PARAMETERS, PETS_QUERY } from "./zod_schemas.ts";

const { create, get, list } = openPeerPets(readSettings<PeerSettings>());

const app = new Hono();
app.use("/v1/*", bearerAuth({ token: KEY }));
app.get("/v1/pets", zValidator("query", PETS_QUERY), (context) => {
  const { page, link } = list(context.req.valid("query"));
  return link === undefined ? context.json(page) : context.json(page, 200, { link });
});
app.post("/v1/pets", zValidator("json", NEW_PET_BODY), (context) => {
  const pet = create(context.req.valid("json"));
  return context.json(pet, 201, { location: `/v1/pets/${pet.id}` });
});
app.get("/v1/pets/:petId", zValidator("param", PET_PARAMETERS), (context) => {
  const pet = get(context.req.valid("param").petId);
  return pet ? context.json(pet) : context.json({ code: "pet_not_found" }, 404);
});

await listen(app.fetch);
