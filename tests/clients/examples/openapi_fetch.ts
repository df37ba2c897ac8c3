import process from "node:process";
import createClient from "openapi-fetch";
import type { components, paths } from "../generated/openapi_fetch.ts";
import { nextCursor } from "./next_cursor.ts";

type Pet = components["schemas"]["Pet"];
type PetStatus = components["schemas"]["PetStatus"];

const client = createClient<paths>({
  baseUrl: process.env.PETSTORE_URL ?? "http://127.0.0.1:8000/v1",
  headers: { authorization: `Bearer ${process.env.PETSTORE_KEY}` },
});

async function add(name: string, categoryId: number): Promise<Pet> {
  const { data, error } = await client.POST("/pets", {
    body: { name, categoryId },
    // With a key of its own, this request can be sent again and adds no second animal.
    params: { header: { "Idempotency-Key": crypto.randomUUID() } },
  });
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return data;
}

async function* list(status: PetStatus): AsyncGenerator<Pet> {
  let cursor: string | undefined;
  do {
    const query = {
      status,
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    };
    const { data, error, response } = await client.GET("/pets", {
      params: { query },
    });
    if (error) throw new Error(`${error.code}: ${error.message}`);
    if (data) yield* data; // A 304 would have none; it needs an If-None-Match.
    cursor = nextCursor(response.headers);
  } while (cursor !== undefined);
}

for (const name of ["Rex", "Luna", "Milo"]) await add(name, 7);
for await (const pet of list("available")) console.log(pet.id, pet.name);

const { error } = await client.GET("/pets", {
  params: { query: { limit: 101 } },
});
// The compiler knows which codes there are: any other in its place does not compile.
if (error?.code === "invalid_limit") console.log(error.message);
