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
import { createPetstore } from "../../mod.ts";
import { KEY } from "../support/api.ts";
import { openApiOf } from "../support/descriptions.ts";
import { STORE_KINDS } from "../support/stores.ts";

type Send = (method: string, path: string, body?: string) => Promise<Response>;

/** A name and a status that no example has. */
const BEFORE = '{"name":"Before","categoryId":1,"status":"pending"}';

/** A path of the table, on the pet with this id if it has one. */
function targetOf({ path }: { path: string }, id: number): string {
  return path.replace(/\{\w+\}$/, String(id));
}

/** Every GET of the table, on the first pets and on one to come if its path has an id, each filter, and short pages. */
const READS = OPERATIONS.filter(({ method }) => method === "GET")
  .flatMap((operation) => [1, 2, 3].map((id) => targetOf(operation, id)))
  .concat(PET_STATUSES.map((status) => `/pets?status=${status}`), "/pets?limit=1", "/pets?limit=1&status=pending");

function serve(store: PetStore): Send {
  const { handle } = createPetstore({ keys: [KEY], store });
  return async (method, path, body = null!) => {
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    return await handle(new Request(`http://petstore.test/v1${path}`, { method, headers, body }));
  };
}

type Described = Record<string, Record<string, { requestBody?: { content: Record<string, { example: unknown }> } }>>;

/** The example of a body in the description, but for a number that JavaScript rounds. */
function exampleOf(method: string, path: string): string | undefined {
  const { requestBody } = (openApiOf()["paths"] as Described)[path]![method.toLowerCase()]!;
  const content = requestBody?.content["application/json"];
  return content && JSON.stringify(content.example).replace(/\d+/, "9007199254740993");
}

async function read(send: Send, path: string): Promise<unknown> {
  const response = await send("GET", path);
  const { status, headers } = response;
  return [path, status, headers.get("etag"), headers.get("link"), await response.text()];
}

/**
 * Requires that each server says the same as a new one on the store. It is asked so often that it
 * keeps its responses.
 */
async function assertFresh(servers: readonly Send[], store: PetStore): Promise<void> {
  // Servers look for changes of other programs once in a turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  for (const path of new Set(READS)) {
    const expected = await read(serve(store), path);
    for (const send of servers) {
      for (let i = 0; i < 4; i++) assert.deepEqual(await read(send, path), expected);
    }
  }
}

for (const kind of STORE_KINDS) {
  for (const operation of OPERATIONS.filter(({ effect }) => effect !== "reads")) {
    const { method, path } = operation;
    test(`${kind.name} store: no server sends again what ${method} ${path} has made obsolete`, () =>
      withNamespace(kind, async ({ open }) => {
        const stores = [await open(), ...(kind.sharing === "none" ? [] : [await open()])] as const;
        const servers = stores.map(serve), send = servers[0]!;
        for (let i = 0; i < 2; i++) assert.equal((await send("POST", "/pets", BEFORE)).status, 201);
        for (const id of [1, 2]) {
          await assertFresh(servers, stores[0]);
          const response = await send(method, targetOf(operation, id), exampleOf(method, path));
          const written = await response.text();
          assert.ok(response.ok, written);
          await assertFresh(servers, stores[0]);
          assert.ok((await (await send("GET", "/pets")).text()).includes(written), written);
        }
      }));
  }
}
