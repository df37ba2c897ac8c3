/** Which key a fact belongs to: its last use, its rights and its caller, also when a write of uses fails or takes long. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyManager } from "../../lib/access/key_management.ts";
import { withClock } from "../../lib/testing/clock.ts";
import { createMemoryStore, createPetstore } from "../../mod.ts";
import { askerOf } from "../support/asker.ts";
import { withStoppedClock } from "../support/stopped_clock.ts";

const HOUR = 3_600_000;

/** Who asks, so many milliseconds later than in truth, and the status; what the write of uses after it does. */
const STEPS: [who: string, ahead: number, status: number, write?: "fails" | "is overtaken"][] = [
  ["web", 1_000, 200],
  ["ci", 2_000, 200],
  ["web", 3_000, 200, "fails"],
  ["ending", 4_000, 200, "is overtaken"],
  ["ending", HOUR + 5_000, 401],
  ["revoked", HOUR + 6_000, 401],
  ["unknown", HOUR + 7_000, 401],
  ["reader", HOUR + 8_000, 200, "fails"],
  ["web", HOUR + 9_000, 200],
  // The clock was wrong.
  ["web", -HOUR, 200],
];

test("a key was last used when it last let a request in, also of two with one caller, and after a write that failed", () =>
  withStoppedClock(async () => {
    const { keys } = createMemoryStore();
    const touch = keys.touch.bind(keys), manager = createKeyManager(keys);
    const made: Record<string, { key: string }> = { unknown: { key: "pk_unknown" } };
    for (const label of ["web", "ci", "reader", "ending", "revoked", "unused"]) {
      const parts = { readOnly: label === "reader", ...label === "ending" && { expires: new Date(Date.now() + HOUR) } };
      made[label] = await manager.add({ label, caller: "shop", ...parts });
    }
    await manager.revoke((await manager.list()).find(({ label }) => label === "revoked")!.id);
    const ask = askerOf(manager);
    const used = new Map<string, [from: number, to: number]>();
    const use = (who: string, ahead: number, status: number) =>
      withClock(ahead, async () => {
        const from = Date.now();
        assert.deepEqual(await ask(made[who]!), [status], who);
        if (status === 200) used.set(who, [from, Date.now()]);
      });
    const compare = async () => {
      for (const { label, lastUsed } of await manager.list()) {
        const [from, to] = used.get(label) ?? [];
        const isRight = from === undefined ? !lastUsed : lastUsed && from <= +lastUsed && +lastUsed <= to!;
        assert.ok(isRight, `${label} was used at ${from}, not at ${lastUsed?.getTime()}`);
      }
    };
    for (const [who, ahead, status, outcome] of STEPS) {
      await use(who, ahead, status);
      keys.touch = async (uses) => {
        keys.touch = touch;
        if (outcome === "fails") throw new Error("away");
        // The clock is as far ahead already.
        if (outcome === "is overtaken") await use(who, 500, 200);
        await touch(uses);
      };
      // What is not written yet must not be lost then.
      if (who === "ci") await manager.add({ label: "more" });
      // In the time of the use: a store refuses none that is to come.
      await withClock(ahead, () => manager.flush());
      keys.touch = touch;
      if (outcome) await withClock(ahead + 500, () => manager.flush());
      await compare();
    }
  }));

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
