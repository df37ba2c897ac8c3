/** The cases of the limits of a body: its size, its pieces and its time. */

import { encode, type RequestBody } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { PET, stream } from "./body.ts";
import { addition, assertResponse, cases, type HttpCase, ON_HOST, postAs } from "./case.ts";
import { addedBy } from "./catalogue.ts";

const BOUNDS = {
  ...addition("pets.create.body", "A body has at most 64 KiB, and arrives within its time limit"),
  ...ON_HOST,
};

export const TOO_LARGE = { status: 413, code: "body_too_large" } as const;

export function stalled(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(encode('{"name":')) });
}

export const BODY_LIMIT_CASES: readonly HttpCase[] = [
  ...cases(BOUNDS, {
    async "answers 413 to 3 MiB, and takes 64 KiB"(api) {
      assertStatus(await postAs(api, PET.padEnd(65_536)), 201);
      const added = await addedBy(api, async () => {
        for (const body of [PET.padEnd(3_145_728), stream(...Array(48).fill(" ".repeat(65_536)))]) {
          assertResponse(await postAs(api, body), TOO_LARGE);
        }
      });
      assert.deepEqual(added, [], "The pets that were added");
    },
  }),
  ...cases({ ...BOUNDS, options: { maxBodyBytes: 100 } }, {
    async "takes a body of exactly the limit, and answers 413 to one byte more"(api) {
      const whole: RequestBody[] = [PET.padEnd(100), stream(PET, " ".repeat(100 - PET.length))];
      for (const body of whole) assertStatus(await postAs(api, body), 201);
      const longer = [PET.padEnd(101), stream(PET.padEnd(101)), stream(PET.padEnd(100), " ")];
      for (const body of longer) assertResponse(await postAs(api, body), { ...TOO_LARGE, message: / 100 bytes/ });
      assert.equal((await api.get("/pets")).pets.length, 2, "The number of pets");
    },
  }),
  ...cases({ ...BOUNDS, options: { bodyTimeoutMs: 50 } }, {
    async "answers 408 to a body that stalls, and stores nothing"(api) {
      assertResponse(await postAs(api, stalled(), {}), { status: 408, code: "request_timeout", message: /50 ms/ });
      assert.equal((await api.get("/pets")).text, "[]", "The list of pets");
    },
  }),
];
