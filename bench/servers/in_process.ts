/** Calls without a socket. A request over HTTP starts a measurement; its response has the calls per second. */

import { createMemoryStore, createPetstore } from "../../mod.ts";
import { AUTHORIZATION, CATALOGUE_SIZE, KEY, NEW_PET } from "../catalogue.ts";
import { fillStore } from "../fill.ts";
import { createHonoApp } from "./hono_app.ts";
import { listen, readSettings } from "./host.ts";

export interface InProcessSettings {
  /** `response` only makes a `Response` with the petstore's text and headers. */
  app: "petstore" | "hono" | "response";
}

/** The calls, by their names in the query of the request that starts a measurement. */
const CALLS: Record<string, () => Request> = {
  get: () => request("/v1/pets/4242"),
  list: () => request("/v1/pets"),
  post: () =>
    request("/v1/pets", {
      method: "POST",
      // With its length, as every HTTP client sends it.
      headers: {
        authorization: AUTHORIZATION,
        "content-type": "application/json",
        "content-length": String(NEW_PET.length),
      },
      body: NEW_PET,
    }),
};

/** Requests that are created together before the clock starts. */
const BATCH = 500;

const handler = await createHandler(readSettings<InProcessSettings>().app);
await listen(async ({ url }) => {
  const query = new URL(url).searchParams;
  const make = CALLS[query.get("call") ?? ""];
  if (make === undefined) return new Response(null, { status: 404 });
  const response = await handler(make());
  const rate = await measure(make, Number(query.get("seconds")) * 1000);
  return Response.json({ status: response.status, body: await response.text(), rate });
});

type Handler = (request: Request) => Promise<Response>;

async function createHandler(app: InProcessSettings["app"]): Promise<Handler> {
  if (app === "hono") {
    const { fetch } = createHonoApp(CATALOGUE_SIZE);
    return async (request) => await fetch(request);
  }
  const store = createMemoryStore();
  await fillStore(store, CATALOGUE_SIZE);
  const { handle } = createPetstore({ keys: [KEY], store });
  return app === "petstore" ? handle : await responses(handle);
}

/** A handler that reads nothing, and sends a copy of one response. */
async function responses(handle: Handler): Promise<Handler> {
  const response = await handle(CALLS["get"]!());
  const init = { status: response.status, headers: Object.fromEntries(response.headers) };
  const body = await response.text();
  return () => Promise.resolve(new Response(body, init));
}

async function measure(make: () => Request, duration: number): Promise<number> {
  let calls = 0, spent = 0;
  while (spent < duration) {
    const requests = Array.from({ length: BATCH }, make);
    const start = performance.now();
    for (const request of requests) await handler(request);
    spent += performance.now() - start;
    calls += BATCH;
  }
  return calls / spent * 1000;
}

function request(path: string, init: RequestInit = { headers: { authorization: AUTHORIZATION } }): Request {
  return new Request(`http://localhost${path}`, init);
}
