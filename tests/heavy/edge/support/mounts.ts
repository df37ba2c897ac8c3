/** A short use of a petstore in an app, and the HTTP contract through it. */

import assert from "node:assert/strict";
import { createClient, type Fetch } from "../../../../packages/client/mod.ts";
import { assertConforms, type Differing } from "../../../support/conformance.ts";

/** The keys of the apps under test. */
export const APP_KEY = "pk_app";
export const APP_KEYS = `pk_other,${APP_KEY}`;

export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** Uses the app's own route, and its petstore at `/v1`. */
export async function useMount(ask: Ask): Promise<void> {
  const own = await ask("/hello");
  assert.deepEqual([own.status, await own.text()], [200, "Hello from the app"]);

  const refused = await ask("/v1/pets");
  assert.deepEqual([refused.status, (await refused.json()).code], [401, "missing_api_key"]);

  const client = createClient({ baseUrl: "http://pets.test/v1", key: APP_KEY, fetch: byPath(ask) });
  const luna = { name: "Luna", categoryId: 2n ** 53n + 1n };
  for (const id of [1n, 2n]) assert.deepEqual(await client.pets.create(luna), { id, ...luna, status: "available" });
  const pages = await Array.fromAsync(client.pets.list({ limit: 1 }).pages());
  assert.deepEqual(pages.map((page) => page.map(({ id }) => id)), [[1n], [2n]]);

  const outside = await ask("/cats", { headers: { authorization: `Bearer ${APP_KEY}` } });
  assert.equal(outside.status, 404);
  assert.doesNotMatch(await outside.text(), /route_not_found/);
}

/** In some hosts, a client that continues to send a body that was refused gets a reset before it reads the 413. */
export const LATE_REFUSAL = "answers 413 to 3 MiB, and takes 64 KiB";

export interface Mount extends Differing {
  /** Sends the requests of the contract, if the host wants more of a request than a petstore does. */
  fetch?: Fetch;
}

/** Uses an app at an address, and runs the cases of `@petstore/conformance` against its petstore. */
export async function testMount(origin: string, { fetch: send, ...differing }: Mount): Promise<void> {
  await useMount((path, init) => fetch(origin + path, init ?? {}));
  await assertConforms({ baseUrl: `${origin}/v1`, key: APP_KEY, ...send && { fetch: send } }, differing);
}

function byPath(ask: Ask): Fetch {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const init = { method, headers: Object.fromEntries(headers) };
    return await ask(pathname + search, method === "POST" ? { ...init, body: await request.text() } : init);
  };
}
