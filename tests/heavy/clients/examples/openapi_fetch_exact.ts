import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi_fetch_exact.ts";
import { settings } from "./common.ts";
import { parseExact, stringifyExact } from "./exact_json.ts";

/** `fetch`, but json() keeps int64. */
async function fetchExact(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (!response.ok) return response; // Errors hold no int64, and 304 has no body.
  const text = await response.text();
  const { status, headers } = response;
  const exact = new Response(text, { status, headers });
  // openapi-fetch calls json() only where a length is known, and JSON.parse otherwise.
  exact.headers.set("content-length", String(new TextEncoder().encode(text).length));
  return Object.assign(exact, { json: () => Promise.resolve(parseExact(text)) });
}

const client = createClient<paths>({ ...settings, fetch: fetchExact, bodySerializer: stringifyExact });

const { data: added } = await client.POST("/pets", { body: { name: "Max", categoryId: 9223372036854775807n } });
if (!added) throw new Error("Not added");
const { data: pet } = await client.GET("/pets/{petId}", { params: { path: { petId: added.id } } });
const { data: pets } = await client.GET("/pets");
console.log(added.categoryId, pet?.categoryId, pets?.at(-1)?.categoryId);
