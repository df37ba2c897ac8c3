/** Calls without a socket. It is asked over HTTP to measure for a while, and answers with calls per second. */

import { createMemoryStore, createPetstore } from "../../mod.ts";
import { AUTHORIZATION, CATALOGUE_SIZE, KEY, NEW_PET } from "../catalogue.ts";
import { fillStore } from "../fill.ts";
import { createHonoApp } from "./hono_app.ts";
import { listen, readSettings } from "./host.ts";

/** What it can be told. */
export interface InProcessSettings {
  app: "petstore" | "hono";
}

/** What is called; the query of the request that asks for a measurement names one. */
const CALLS: Record<string, () => Request> = {
  get: () => request("/v1/pets/4242"),
  list: () => request("/v1/pets"),
  post: () =>
    request("/v1/pets", {
      method: "POST",
      headers: { authorization: AUTHORIZATION, "content-type": "application/json" },
      body: NEW_PET,
    }),
};

/** Requests that are made at a time, before the clock runs. */
const BATCH = 500;

const handler = await createHandler(readSettings<InProcessSettings>().app);
await listen(async ({ url }) => {
  const query = new URL(url).searchParams;
  const make = CALLS[query.get("call") ?? ""];
  if (make === undefined) return new Response(null, { status: 404 });
  const { status, body } = await handler(make()).then(async (answer) => ({
    status: answer.status,
    body: await answer.text(),
  }));
  return Response.json({ status, body, rate: await measure(make, Number(query.get("seconds")) * 1000) });
});

async function createHandler(app: InProcessSettings["app"]): Promise<(request: Request) => Promise<Response>> {
  if (app === "hono") {
    const { fetch } = createHonoApp(CATALOGUE_SIZE);
    return async (request) => await fetch(request);
  }
  const store = createMemoryStore();
  await fillStore(store, CATALOGUE_SIZE);
  return createPetstore({ keys: [KEY], store }).handle;
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
