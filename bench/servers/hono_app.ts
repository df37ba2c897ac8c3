/** The same three operations with Hono, its bearer-auth and its zod validator, without entity tags, deprecation and int64. */

import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import { z } from "zod";
import { KEY } from "../catalogue.ts";
import { createPetArray } from "./pet_array.ts";

/** Creates an app with this number of pets. */
export function createHonoApp(size: number): Hono {
  const status = z.enum(["available", "pending", "sold"]);
  const query = z.object({
    limit: z.coerce.number().int().min(1).max(100).default(20),
    status: status.optional(),
    cursor: z.string().regex(/^[A-Za-z0-9]+$/).optional(),
  });
  const newPet = z.object({
    name: z.string().min(1).max(255),
    categoryId: z.number().int(),
    status: status.default("available"),
  });
  const { create, get, list } = createPetArray(size);
  const app = new Hono();
  app.use("/v1/*", bearerAuth({ token: KEY }));
  app.get("/v1/pets", zValidator("query", query), (context) => {
    const { page, link } = list(context.req.valid("query"));
    return link === undefined ? context.json(page) : context.json(page, 200, { link });
  });
  app.post("/v1/pets", zValidator("json", newPet), (context) => {
    const pet = create(context.req.valid("json"));
    return context.json(pet, 201, { location: `/v1/pets/${pet.id}` });
  });
  const parameters = z.object({ petId: z.coerce.number().int().positive() });
  app.get("/v1/pets/:petId", zValidator("param", parameters), (context) => {
    const pet = get(context.req.valid("param").petId);
    if (pet === undefined) {
      return context.json({ code: "pet_not_found", message: "There is no such pet", status: 404 }, 404);
    }
    return context.json(pet);
  });
  return app;
}
