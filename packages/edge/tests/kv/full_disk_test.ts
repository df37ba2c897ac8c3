import assert from "node:assert/strict";
import { createKvStore } from "../../lib/kv/kv_store.ts";
import { StoreUnavailableError } from "@petstore/petstore/store";
import { testUnless } from "../../../../tests/support/system/commands.ts";
import { fillUp, MOUNT_SKIP, withTmpfs } from "../../../../tests/support/system/disk.ts";
import { openTestKv, petsAfter, request, REX } from "../kv_support/kv.ts";

const test = testUnless(MOUNT_SKIP);

test("a full disk refuses creates, reads go on, and all recovers when there is room again", () =>
  withTmpfs("4m", async (folder) => {
    const kv = await openTestKv(`${folder}/kv`);
    const store = createKvStore(kv);
    try {
      const created: bigint[] = [];
      const crowd = () =>
        Promise.allSettled(
          Array.from({ length: 100 }, (_, i) =>
            Promise.resolve(
              store.createOnce!(
                { ...REX, name: "x".repeat(250), status: "sold" },
                request(`${created.length}-${i}`, "f", 0),
              ),
            ).then((outcome) => "id" in outcome && created.push(outcome.id))),
        );
      await crowd();
      fillUp(`${folder}/ballast`);
      let refused: PromiseRejectedResult[] = [];
      while (refused.length === 0) refused = (await crowd()).filter((each) => each.status === "rejected");
      for (const { reason } of refused) assert.ok(reason instanceof StoreUnavailableError, String(reason));
      assert.match(
        refused[0]!.reason.message,
        /^Deno KV: (database or disk is full|disk I\/O error); the pet may have been stored$/,
      );
      await assert.rejects(async () => await store.checkWrites!(), StoreUnavailableError);
      await store.check();
      assert.deepEqual((await petsAfter(store)).map(({ id }) => BigInt(id)), created);
      Deno.removeSync(`${folder}/ballast`);
      await store.checkWrites!();
      assert.equal(await store.create({ ...REX, status: "sold" }), BigInt(created.length + 1));
      assert.equal((await petsAfter(store, 0, "sold")).length, created.length + 1);
    } finally {
      await store.close();
      kv.close();
    }
  }));
