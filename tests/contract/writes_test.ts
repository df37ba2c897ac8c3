/** Every operation of the table that writes, with the example of its description: those of tomorrow too. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DESCRIBED_OPERATIONS } from "../../lib/operations/table.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { withNamespace } from "../../lib/testing/fixture.ts";
import { createPetstore } from "../../mod.ts";
import { KEY } from "../support/api.ts";
import { STORE_KINDS } from "../support/stores.ts";

type Send = (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<Response>;

const BEFORE = '{"name":"Before","categoryId":1,"status":"pending"}';

for (const [definition, describe] of DESCRIBED_OPERATIONS) {
  const { method, effect, path } = definition;
  if (effect === "reads") continue;
  const target = path.replace(/\{\w+\}$/, "1");
  for (const kind of STORE_KINDS) {
    test(`${kind.name} store: no server sends again what ${method} ${path} has made obsolete`, () =>
      withNamespace(kind, async ({ open }) => {
        const stores = [await open(), ...(kind.sharing === "none" ? [] : [await open()])];
        const servers = stores.map((store): Send => {
          const { handle } = createPetstore({ keys: [KEY], store });
          return async (method, path, headers, body = null!) => {
            const authorized = { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers };
            return await handle(new Request(`http://petstore.test/v1${path}`, { method, headers: authorized, body }));
          };
        });
        /** Often enough to be kept, and after a turn of the event loop, in which servers look for changes. */
        const read = async () => {
          await new Promise((resolve) => setImmediate(resolve));
          const texts: string[][] = [];
          for (const send of servers) {
            for (let i = 0; i < 4; i++) {
              texts[i] = [...texts[i] ?? [], ...await Promise.all(["/pets", target].map((path) => textOf(send, path)))];
            }
          }
          for (const again of texts) assert.deepEqual(again, texts[0]);
          return texts[0]!;
        };
        const write = servers[0]!;
        assert.equal((await write("POST", "/pets", {}, BEFORE)).status, 201);
        const before = await read();
        const body = exampleOf(describe(checkOptions({ keys: [KEY], store: stores[0]! })).more);
        if (effect === "alters") {
          assert.equal((await write(method, target, { "if-match": '"stale"' }, body)).status, 412);
          assert.deepEqual(await read(), before);
        }
        assert.ok((await write(method, target, {}, body)).ok);
        const after = await read();
        for (const [i, text] of after.entries()) assert.notEqual(text, before[i]);
      }));
  }
}

async function textOf(send: Send, path: string): Promise<string> {
  return await (await send("GET", path)).text();
}

/** The body that a description shows; `undefined` if there is none. */
function exampleOf(more: unknown): string | undefined {
  type Shown = { requestBody?: { content: Record<string, { example: unknown }> } };
  const content = (more as Shown | undefined)?.requestBody?.content["application/json"];
  return content && JSON.stringify(content.example);
}
