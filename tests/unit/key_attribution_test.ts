/** Which key a fact belongs to: its rights and its caller. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyManager } from "../../lib/access/key_management.ts";
import { createMemoryStore, createPetstore } from "../../mod.ts";
import { askerOf } from "../support/asker.ts";

test("a key has its own rights and caller: a successor those of the key before, and a setting its own", async () => {
  const { keys } = createMemoryStore();
  const { key, id } = await createKeyManager(keys).add({ label: "ci", caller: "shop", readOnly: true });
  const seen: unknown[] = [];
  const manager = createKeyManager(keys, { keys: [{ key, caller: "of the setting" }] });
  const next = await manager.rotate(id);
  assert.deepEqual([next.caller, next.label, next.readOnly, next.created.getTime() > 0], ["shop", "ci", true, true]);
  const { handle } = createPetstore({ keys: manager, onResponse: ({ caller, status }) => seen.push([caller, status]) });
  for (const given of [key, next.key]) {
    const headers = { authorization: `Bearer ${given}`, "content-type": "application/json" };
    const body = '{"name":"Rex","categoryId":7}';
    await handle(new Request("http://localhost/v1/pets", { method: "POST", headers, body }));
  }
  await manager.revoke(next.id);
  assert.deepEqual(await askerOf(manager)(next, { key }), [401, 200]);
  assert.deepEqual(seen, [[{ id: "of the setting", readOnly: false }, 201], [{ id: "shop", readOnly: true }, 403]]);
});
