/** The peer on Bun: Elysia with its validation and a bearer check. It omits the same features as hono.ts. */

import { Elysia, status, t } from "elysia";
import process from "node:process";
import { AUTHORIZATION } from "../catalogue.ts";
import { announce, readSettings } from "./host.ts";
import { openPeerPets, type PeerSettings } from "./peer_pets.ts";

const pets = await openPeerPets(readSettings<PeerSettings>());
const petStatus = t.Union([t.Literal("available"), t.Literal("pending"), t.Literal("sold")]);

const app = new Elysia()
  .onBeforeHandle(({ headers }) =>
    headers["authorization"] === AUTHORIZATION ? undefined : status(401, { code: "invalid_api_key" })
  )
  .get("/v1/pets", ({ query, set }) => {
    const { page, link } = pets.list(query);
    if (link !== undefined) set.headers["link"] = link;
    return page;
  }, {
    query: t.Object({
      limit: t.Integer({ minimum: 1, maximum: 100, default: 20 }),
      status: t.Optional(petStatus),
      cursor: t.Optional(t.String({ pattern: "^[A-Za-z0-9]+$" })),
    }),
  })
  .post("/v1/pets", ({ body: { name, categoryId, status = "available" }, set }) => {
    const pet = pets.create({ name, categoryId, status });
    set.status = 201;
    set.headers["location"] = `/v1/pets/${pet.id}`;
    return pet;
  }, {
    body: t.Object({
      name: t.String({ minLength: 1, maxLength: 255 }),
      categoryId: t.Integer(),
      status: t.Optional(petStatus),
    }),
  })
  .get("/v1/pets/:petId", ({ params }) => pets.get(params.petId) ?? status(404, { code: "pet_not_found" }), {
    params: t.Object({ petId: t.Integer({ minimum: 1 }) }),
  })
  .listen({ port: 0, hostname: "127.0.0.1" });

announce(app.server?.port ?? 0);
process.on("SIGTERM", () => process.exit(0));
