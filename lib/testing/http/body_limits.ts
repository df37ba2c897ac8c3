/** Bodies: the limits of their size, their pieces and their time. */

import { encode, type RequestBody } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { PET, stream } from "./body.ts";
import { addition, assertResponse, cases, type HttpCase, ON_HOST, postAs } from "./case.ts";
import { addedBy } from "./catalogue.ts";

const BOUNDS = {
  ...addition("pets.create.body", "A body has at most 1 MiB, and arrives within its time limit"),
  ...ON_HOST,
};

const IN_PIECES = {
  ...{ ...BOUNDS, dependsOn: [], isLocal: true },
  inProcess: "a connection does not keep the pieces of a body, nor their times",
};

const TOO_LARGE = { status: 413, code: "body_too_large" } as const;

/** Bodies of this length are short, and all others together have this room. */
const SHORT = 16_384, UNDER_WAY = 64 * 1024 * 1024;

function stalled(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(encode('{"name":')) });
}

/** A body of these pieces, whose end is its failure. */
function holding(...pieces: Uint8Array[]) {
  const [taken, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const piece = pieces.shift();
    if (piece) return controller.enqueue(piece);
    taken.resolve();
    await end.promise;
    controller.error(new Error("The client has left"));
  };
  return { body: new ReadableStream({ pull }, { highWaterMark: 0 }), taken: taken.promise, end: end.resolve };
}

export const BODY_LIMIT_CASES: readonly HttpCase[] = [
  ...cases(BOUNDS, {
    async "answers 413 to 3 MiB, and takes 1 MiB"(api) {
      assertStatus(await postAs(api, PET.padEnd(1_048_576)), 201);
      const added = await addedBy(api, async () => {
        for (const body of [PET.padEnd(3_145_728), stream(...Array(48).fill(" ".repeat(65_536)))]) {
          assertResponse(await postAs(api, body), TOO_LARGE);
        }
      });
      assert.deepEqual(added, [], "The pets that were added");
    },
  }),
  ...cases(IN_PIECES, {
    async "takes a body in hundreds of pieces, and answers 413 to one in more than 256, and one more for each 256 bytes"(
      api,
    ) {
      const bytes = (count: number) => PET.padEnd(count);
      for (const pieces of [bytes(257), [...bytes(257), " ".repeat(255)]]) {
        assertStatus(await postAs(api, stream(...pieces)), 201);
      }
      for (const pieces of [bytes(258), [...bytes(257), " ".repeat(254)]]) {
        assertResponse(await postAs(api, stream(...pieces)), TOO_LARGE);
      }
    },
  }),
  ...cases({ ...IN_PIECES, options: { maxBodyBytes: 2 * UNDER_WAY } }, {
    async "answers 503 to a body over 16 KiB while others take 64 MiB, and takes shorter ones"(api) {
      const held = holding(new Uint8Array(SHORT + 1), new Uint8Array(UNDER_WAY - 1));
      const first = postAs(api, held.body);
      await held.taken;
      const overloaded = { status: 503, code: "overloaded", headers: { "retry-after": "1" } } as const;
      const message = /try again later/;
      for (const body of [PET.padEnd(SHORT + 1), stream(PET.padEnd(SHORT + 1))]) {
        assertResponse(await postAs(api, body), { ...overloaded, message });
      }
      for (const body of [PET.padEnd(SHORT), stream(PET.padEnd(SHORT))]) {
        assertStatus(await postAs(api, body), 201);
      }
      held.end();
      assertResponse(await first, { status: 400, code: "invalid_json", message: /incomplete/ });
      assertStatus(await postAs(api, stream(PET.padEnd(SHORT + 1))), 201);
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
  ...cases({ ...IN_PIECES, options: { maxBodyBytes: 100 } }, {
    async "answers 413 to a Content-Length beyond the limit at once, and to more bytes than were announced"(api) {
      const withLength = (body: ReadableStream, length: string) => postAs(api, body, { "content-length": length });
      assertResponse(await withLength(stalled(), "101"), TOO_LARGE);
      assertResponse(await withLength(stream(PET.padEnd(101)), "100"), TOO_LARGE);
      assertStatus(await withLength(stream(PET.padEnd(100)), "100"), 201);
    },
  }),
  ...cases({ ...IN_PIECES, options: { bodyTimeoutMs: 20 } }, {
    async "cancels a body that stalls, and creates no pet from one that arrives too late"(api) {
      for (const headers of [{}, { "content-length": String(PET.length) }]) {
        const { promise, resolve } = Promise.withResolvers<string>();
        let isCancelled = false;
        const body = new ReadableStream({
          pull: async (controller) => {
            controller.enqueue(encode(await promise));
            controller.close();
          },
          cancel: () => void (isCancelled = true),
        });
        const response = await postAs(api, body, headers);
        assertResponse(response, { status: 408, code: "request_timeout", message: / 20 ms$/ });
        // A short one is read whole, and cannot be cancelled.
        assert.ok(isCancelled || "content-length" in headers, "The body must be cancelled");
        resolve(PET);
        // The body is read within a turn or two of the event loop.
        for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setTimeout(resolve));
        assert.equal((await api.get("/pets")).text, "[]", "The list of pets");
      }
    },
  }),
  ...cases({ ...BOUNDS, options: { bodyTimeoutMs: 50 } }, {
    async "answers 408 to a body that stalls, and stores nothing"(api) {
      assertResponse(await postAs(api, stalled(), {}), { status: 408, code: "request_timeout", message: /50 ms/ });
      assert.equal((await api.get("/pets")).text, "[]", "The list of pets");
    },
  }),
];
