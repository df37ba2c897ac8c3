/** The HTTP contract through hosts of which each mount was built apart, and a short use of one without the contract's library. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createClient, type Fetch } from "../../../../packages/client/mod.ts";
import type { HttpCase } from "../../../../packages/conformance/lib/http/case.ts";
import { contractTests, type RemoteHost } from "../../../support/http/host_contract.ts";

export const BASE_PATHS = ["/v1", "/api/v1", ""] as const;
export type BasePath = (typeof BASE_PATHS)[number];

/** Cases with paths outside the base path, which the app answers unless the petstore is at the root. */
const OUTSIDE =
  /^answers 401 missing_api_key on every path|^answers 404 route_not_found to every path|^serves under any/;

/** The mount at which a case runs. */
function mountOf({ name, options = {} }: HttpCase): BasePath {
  const { basePath = "/v1" } = options;
  return OUTSIDE.test(name) ? "" : BASE_PATHS.find((path) => path === basePath) ?? "";
}

/** Tests the cases of the HTTP contract that a host can break. */
export async function testContract(
  context: TestContext,
  origins: Record<BasePath, string>,
  host: Omit<RemoteHost, "originFor">,
): Promise<void> {
  const originFor = (contractCase: HttpCase) => origins[mountOf(contractCase)];
  for (const [name, run] of contractTests({ ...host, originFor })) await context.test(name, run);
}

/** The keys of the apps under test. */
export const APP_KEY = "pk_app";
export const APP_KEYS = `pk_other,${APP_KEY}`;

export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/**
 * Uses the petstore and the app's own route.
 *
 * @param isAlone Whether the app has no other petstore, and so answers all other paths itself.
 */
export async function useMount(basePath: BasePath, ask: Ask, { isAlone = true } = {}): Promise<void> {
  const own = await ask("/hello");
  assert.deepEqual([own.status, await own.text()], [200, "Hello from the app"]);

  const refused = await ask(`${basePath}/pets`);
  assert.deepEqual([refused.status, (await refused.json()).code], [401, "missing_api_key"]);

  const client = createClient({ baseUrl: `http://pets.test${basePath}`, key: APP_KEY, fetch: byPath(ask) });
  const luna = { name: "Luna", categoryId: 2n ** 53n + 1n };
  for (const id of [1n, 2n]) assert.deepEqual(await client.pets.create(luna), { id, ...luna, status: "available" });
  const pages = await Array.fromAsync(client.pets.list({ limit: 1 }).pages());
  assert.deepEqual(pages.map((page) => page.map(({ id }) => id)), [[1n], [2n]]);

  const headers = { authorization: `Bearer ${APP_KEY}` };
  const missing = await ask(`${basePath}/cats`, { headers });
  assert.deepEqual([missing.status, (await missing.json()).code], [404, "route_not_found"]);
  if (basePath === "" || !isAlone) return;
  const outside = await ask("/cats", { headers });
  assert.equal(outside.status, 404);
  assert.doesNotMatch(await outside.text(), /route_not_found/);
}

function byPath(ask: Ask): Fetch {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const init = { method, headers: Object.fromEntries(headers) };
    return await ask(pathname + search, method === "POST" ? { ...init, body: await request.text() } : init);
  };
}
