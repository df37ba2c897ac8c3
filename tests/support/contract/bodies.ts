/** Bodies that need options, or that no connection carries as they are: their sizes, pieces, times and codings. */

import { disconnected } from "../../../lib/http/interruption.ts";
import { type Api, type ApiResponse, encode, type RequestBody } from "../../../packages/conformance/lib/http/api.ts";
import assert from "node:assert/strict";
import { assertResponse, petsOf } from "../../../packages/conformance/lib/http/responses.ts";
import { PET, stream } from "../../../packages/conformance/lib/http/create.ts";
import { until } from "../until.ts";
import type { OwnCase } from "./all.ts";

const JSON_TYPE = { "content-type": "application/json" };

function postAs(api: Api, body: RequestBody, headers: Record<string, string> = JSON_TYPE): Promise<ApiResponse> {
  return api.send("POST", "/pets", { headers, body });
}

/** Bodies of this length are short, and all others together have this room. */
const SHORT = 16_384, UNDER_WAY = 64 * 1024 * 1024;

/** A body of these pieces, whose end is its failure. */
function holding(...pieces: Uint8Array[]) {
  const [taken, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const piece = pieces.shift();
    if (piece) return controller.enqueue(piece);
    taken.resolve();
    await end.promise;
    controller.error(disconnected());
  };
  return { body: new ReadableStream({ pull }, { highWaterMark: 0 }), taken: taken.promise, end: end.resolve };
}

export const OWN_BODY_CASES: readonly OwnCase[] = [
  {
    name: "takes a body of exactly the limit, and answers 413 to one byte more",
    options: { maxBodyBytes: 100 },
    async run(api) {
      for (const make of [(text: string) => text, stream]) {
        assert.equal((await postAs(api, make(PET.padEnd(100)))).status, 201);
        assertResponse(await postAs(api, make(PET.padEnd(101))), 413, "body_too_large", { message: / 100 bytes/ });
      }
      assert.equal(petsOf(await api.get("/pets")).length, 2);
    },
  },
  {
    name: "answers 503 to a body over 16 KiB while others take 64 MiB, and takes shorter ones",
    isLocal: true,
    options: { maxBodyBytes: UNDER_WAY },
    async run(api) {
      // The first 16 KiB of each body are not counted, so it takes two of them.
      const held = [holding(new Uint8Array(UNDER_WAY)), holding(new Uint8Array(2 * SHORT))];
      const cut = held.map(({ body }) => postAs(api, body));
      for (const { taken } of held) await taken;
      for (const make of [(text: string) => text, stream]) {
        const refused = await postAs(api, make(PET.padEnd(SHORT + 1)));
        assertResponse(refused, 503, "overloaded", { headers: { "retry-after": "1" } });
        assert.equal((await postAs(api, make(PET.padEnd(SHORT)))).status, 201);
      }
      for (const { end } of held) end();
      for (const response of await Promise.all(cut)) {
        assertResponse(response, 400, "invalid_json", { message: /incomplete/ });
      }
      assert.equal((await postAs(api, stream(PET.padEnd(SHORT + 1)))).status, 201);
    },
  },
  {
    name: "answers 408 to a body that stalls, cancels it, and creates no pet from one that arrives too late",
    isLocal: true,
    options: { bodyTimeoutMs: 20 },
    async run(api) {
      // A short body with a length is read whole, and cannot be cancelled.
      for (const [headers, cancellations] of [[{}, 1], [{ "content-length": String(PET.length) }, 0]] as const) {
        const { promise, resolve } = Promise.withResolvers<string>();
        let cancelled = 0;
        const body = new ReadableStream({
          pull: async (controller) => {
            controller.enqueue(encode(await promise));
            controller.close();
          },
          cancel: () => void cancelled++,
        });
        const response = await postAs(api, body, headers);
        assertResponse(response, 408, "request_timeout", { message: / 20 ms$/ });
        await until("the body is cancelled", () => cancelled === cancellations, 10);
        resolve(PET);
        // The body is read within a turn or two of the event loop.
        for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setTimeout(resolve));
        assert.equal((await api.get("/pets")).text, "[]");
      }
      assert.equal((await postAs(api, stream(PET))).status, 201);
    },
  },
  {
    name: "answers 501 to a transfer coding besides chunked",
    isLocal: true,
    async run(api) {
      for (const coding of ["gzip", "gzip, chunked", ""]) {
        assertResponse(await postAs(api, stream(PET), { "transfer-encoding": coding }), 501, "not_implemented");
      }
      for (const [name, coding] of Object.entries({ "transfer-encoding": "Chunked", "content-encoding": "Identity" })) {
        assert.equal((await postAs(api, stream(PET), { [name]: coding })).status, 201, name);
      }
    },
  },
];
