import type { RequestBody } from "./api.ts";
import { assert } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, ON_HOST, postAs } from "./case.ts";
import { addedBy } from "./catalogue.ts";
import { petOf } from "./exact.ts";

const FORM = {
  ...addition("pets.create.body", "Bodies are UTF-8 JSON, with Content-Type: application/json or none"),
  ...ON_HOST,
};
const BOUNDS = {
  ...addition("pets.create.body", "A body has at most 1 MiB, and arrives within its time limit"),
  ...ON_HOST,
};

const PET = '{"name":"Rex","categoryId":7}';
const JSON_TYPES = [
  "application/json",
  "APPLICATION/JSON",
  "Application/Json;charset=utf-8",
  'application/json \t; a="b"',
];
const OTHER_TYPES = [
  ...["text/plain", "application/jsonp", "application/json2", "text/json", "application/x-www-form-urlencoded"],
  ...["application/vnd.api+json", ";", "json"],
];
const TOO_LARGE = { status: 413, code: "body_too_large" } as const;

/** Bodies of this length are short, and all others together have this room. */
const SHORT = 16_384, UNDER_WAY = 64 * 1024 * 1024;

const encoder = new TextEncoder();

/** A body without a length. */
function stream(...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
    },
  });
}

function stalled(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(encoder.encode('{"name":')) });
}

/** A body that fails before its end. */
function cut(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.error(new Error("The client has left")) });
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

export const BODY_CASES: HttpCase[] = [
  ...cases(FORM, {
    async "takes application/json in any case, with or without parameters, and no Content-Type at all"(api) {
      for (const type of JSON_TYPES) assert.equal((await postAs(api, PET, { "content-type": type })).status, 201, type);
      for (const body of [encoder.encode(PET), stream(PET)]) assert.equal((await postAs(api, body, {})).status, 201);
    },
    async "answers 415 to every other media type, and to an encoded body"(api) {
      const refused = { status: 415, code: "unsupported_media_type" } as const;
      for (const type of OTHER_TYPES) {
        const headers = { "accept-post": "application/json", "accept-encoding": null };
        const message = /application\/json/;
        assertResponse(await postAs(api, PET, { "content-type": type }), { ...refused, message, headers }, type);
      }
      const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
      const headers = { "accept-post": "application/json", "accept-encoding": "identity" };
      assertResponse(await postAs(api, PET, gzip), { ...refused, message: /Content-Encoding/, headers });
    },
    async "answers 400 to an empty body"(api) {
      const empty = { status: 400, code: "invalid_json" } as const;
      for (const body of ["", stream()]) assertResponse(await postAs(api, body), empty);
      assertResponse(await api.send("POST", "/pets"), empty);
    },
    async "reads a body that comes in pieces, even within a character"(api) {
      assert.equal((await postAs(api, stream(...PET))).status, 201);
      const bytes = encoder.encode('{"name":"😀","categoryId":9007199254740993}');
      const pet = petOf(await postAs(api, stream(...Array.from(bytes, (byte) => Uint8Array.of(byte)))), 201);
      assert.deepEqual([pet.name, pet.categoryId], ["😀", 9007199254740993n]);
      const noUtf8 = { status: 400, code: "invalid_json", message: /UTF-8/ } as const;
      for (const [start, end] of [[PET, ""], ['{"categoryId":7,"name":"', '"}']] as const) {
        assertResponse(await postAs(api, stream(start, Uint8Array.of(0xc3), end)), noUtf8, start);
      }
    },
  }),
  ...cases({ ...FORM, dependsOn: [], inProcess: "HTTP clients do not send such requests" }, {
    async "answers 501 to a transfer coding besides chunked, and 400 to a body that ends early"(api) {
      for (const coding of ["gzip", "gzip, chunked", ""]) {
        const expected = { status: 501, code: "not_implemented", message: /Transfer-Encoding is chunked$/ } as const;
        assertResponse(await postAs(api, stream(PET), { "transfer-encoding": coding }), expected, coding);
      }
      for (const [name, coding] of Object.entries({ "transfer-encoding": "Chunked", "content-encoding": "Identity" })) {
        assert.equal((await postAs(api, stream(PET), { [name]: coding })).status, 201, name);
      }
      assertResponse(await postAs(api, cut()), { status: 400, code: "invalid_json", message: /incomplete/ });
    },
  }),
  ...cases(BOUNDS, {
    async "answers 413 to 3 MiB, and takes 1 MiB"(api) {
      assert.equal((await postAs(api, PET.padEnd(1_048_576))).status, 201);
      const added = await addedBy(api, async () => {
        for (const body of [PET.padEnd(3_145_728), stream(...Array(48).fill(" ".repeat(65_536)))]) {
          assertResponse(await postAs(api, body), TOO_LARGE);
        }
      });
      assert.deepEqual(added, []);
    },
  }),
  ...cases({ ...BOUNDS, dependsOn: [], inProcess: "what is sent in pieces may arrive in fewer" }, {
    async "takes a body in hundreds of pieces, and answers 413 to one in more than 256, and one more for each 256 bytes"(
      api,
    ) {
      const bytes = (count: number) => PET.padEnd(count);
      for (const pieces of [bytes(257), [...bytes(257), " ".repeat(255)]]) {
        assert.equal((await postAs(api, stream(...pieces))).status, 201);
      }
      for (const pieces of [bytes(258), [...bytes(257), " ".repeat(254)]]) {
        assertResponse(await postAs(api, stream(...pieces)), TOO_LARGE);
      }
    },
  }),
  ...cases({ ...BOUNDS, dependsOn: [], options: { maxBodyBytes: 2 * UNDER_WAY } }, {
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
        assert.equal((await postAs(api, body)).status, 201);
      }
      held.end();
      assertResponse(await first, { status: 400, code: "invalid_json", message: /incomplete/ });
      assert.equal((await postAs(api, stream(PET.padEnd(SHORT + 1)))).status, 201);
    },
  }),
  ...cases({ ...BOUNDS, options: { maxBodyBytes: 100 } }, {
    async "takes a body of exactly the limit, and answers 413 to one byte more"(api) {
      const whole: RequestBody[] = [PET.padEnd(100), stream(PET, " ".repeat(100 - PET.length))];
      for (const body of whole) assert.equal((await postAs(api, body)).status, 201);
      const longer = [PET.padEnd(101), stream(PET.padEnd(101)), stream(PET.padEnd(100), " ")];
      for (const body of longer) assertResponse(await postAs(api, body), { ...TOO_LARGE, message: / 100 bytes/ });
      assert.equal((await api.get("/pets")).pets.length, 2);
    },
  }),
  ...cases({ ...BOUNDS, dependsOn: [], options: { maxBodyBytes: 100 } }, {
    async "answers 413 to a Content-Length beyond the limit at once, and to more bytes than were announced"(api) {
      const withLength = (body: ReadableStream, length: string) => postAs(api, body, { "content-length": length });
      assertResponse(await withLength(stalled(), "101"), TOO_LARGE);
      assertResponse(await withLength(stream(PET.padEnd(101)), "100"), TOO_LARGE);
      assert.equal((await withLength(stream(PET.padEnd(100)), "100")).status, 201);
    },
  }),
  ...cases({ ...BOUNDS, dependsOn: [], options: { bodyTimeoutMs: 20 } }, {
    async "cancels a body that stalls, and creates no pet from one that arrives too late"(api) {
      for (const headers of [{}, { "content-length": String(PET.length) }]) {
        const { promise, resolve } = Promise.withResolvers<string>();
        let isCancelled = false;
        const body = new ReadableStream({
          pull: async (controller) => {
            controller.enqueue(encoder.encode(await promise));
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
        assert.equal((await api.get("/pets")).text, "[]");
      }
    },
  }),
  ...cases({ ...BOUNDS, options: { bodyTimeoutMs: 50 } }, {
    async "answers 408 to a body that stalls, and stores nothing"(api) {
      assertResponse(await postAs(api, stalled(), {}), { status: 408, code: "request_timeout", message: /50 ms/ });
      assert.equal((await api.get("/pets")).text, "[]");
    },
  }),
];
