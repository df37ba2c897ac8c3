/**
 * No server sends a response again that an operation has made obsolete: each operation of the table
 * that writes, on every store.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS } from "../../lib/operations/table.ts";
import { PET_STATUSES } from "../../lib/pet.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { withNamespace } from "../../packages/conformance/lib/fixture.ts";
import { createPetstore, type Petstore } from "../../mod.ts";
import { KEY } from "../support/api.ts";
import { openApiOf } from "../support/descriptions.ts";
import { STORE_KINDS } from "../support/stores.ts";

/** A name and a status that no example has. */
const BEFORE = '{"name":"Before","categoryId":1,"status":"pending"}';

/** A path of the table, on the pet with this id if it has one. */
function targetOf({ path }: { path: string }, id: number): string {
  return path.replace(/\{\w+\}$/, String(id));
}

/** Every GET of the table, on the first pets and on one to come if its path has an id, each filter, and short pages. */
const READS = new Set(
  OPERATIONS.filter(({ method }) => method === "GET")
    .flatMap((operation) => [1, 2, 3].map((id) => targetOf(operation, id)))
    .concat(PET_STATUSES.map((status) => `/pets?status=${status}`), "/pets?limit=1", "/pets?limit=1&status=pending"),
);

/** What a client sees of a response. */
async function ask({ handle }: Petstore, method: string, path: string, body: BodyInit | null = null) {
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const response = await handle(new Request(`http://petstore.test/v1${path}`, { method, headers, body }));
  const [etag, link] = ["etag", "link"].map((name) => response.headers.get(name));
  return { status: response.status, etag, link, text: await response.text() };
}

type Described = Record<string, Record<string, { requestBody?: { content: Record<string, { example: unknown }> } }>>;

/** The example of a body in the description, but for a number that JavaScript rounds. */
function exampleOf({ method, path }: { method: string; path: string }): string | null {
  const { requestBody } = (openApiOf()["paths"] as Described)[path]![method.toLowerCase()]!;
  return requestBody ? JSON.stringify(requestBody.content["application/json"]!.example).replace(/\d+/, "9") : null;
}

/**
 * Requires that each server says the same as a new one on the store. It is asked so often that it
 * keeps its responses.
 */
async function assertFresh(servers: readonly Petstore[], store: PetStore): Promise<void> {
  for (const path of READS) {
    const expected = await ask(createPetstore({ keys: [KEY], store }), "GET", path);
    for (const server of servers) {
      for (let i = 0; i < 4; i++) assert.deepEqual(await ask(server, "GET", path), expected, path);
    }
  }
}

for (const kind of STORE_KINDS) {
  for (const operation of OPERATIONS.filter(({ effect }) => effect !== "reads")) {
    test(`${kind.name} store: no server sends again what ${operation.method} ${operation.path} has made obsolete`, () =>
      withNamespace(kind, async ({ open }) => {
        const stores = [await open(), ...(kind.sharing === "none" ? [] : [await open()])] as const;
        const servers = stores.map((store) => createPetstore({ keys: [KEY], store }));
        for (let i = 0; i < 2; i++) await ask(servers[0]!, "POST", "/pets", BEFORE);
        for (const id of [1, 2]) {
          await assertFresh(servers, stores[0]);
          const written = await ask(servers[0]!, operation.method, targetOf(operation, id), exampleOf(operation));
          await assertFresh(servers, stores[0]);
          assert.ok((await ask(servers[0]!, "GET", "/pets")).text.includes(written.text), written.text);
        }
      }));
  }
}
