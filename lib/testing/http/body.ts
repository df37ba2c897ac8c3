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
  'application/json ; a="b"',
];
const OTHER_TYPES = [
  ...["text/plain", "application/jsonp", "application/json2", "text/json", "application/x-www-form-urlencoded"],
  ...["application/vnd.api+json", ";", "json"],
];
const TOO_LARGE = { status: 413, code: "body_too_large" } as const;

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
        assertResponse(await postAs(api, PET, { "content-type": type }), { ...refused, headers }, type);
      }
      const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
      assertResponse(await postAs(api, PET, gzip), { ...refused, headers: { "accept-encoding": "identity" } });
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
  ...cases({ ...BOUNDS, options: { maxBodyBytes: 100 } }, {
    async "takes a body of exactly the limit, and answers 413 to one byte more"(api) {
      const whole: RequestBody[] = [PET.padEnd(100), stream(PET, " ".repeat(100 - PET.length))];
      for (const body of whole) assert.equal((await postAs(api, body)).status, 201);
      const longer = [PET.padEnd(101), stream(PET.padEnd(101)), stream(PET.padEnd(100), " ")];
      for (const body of longer) assertResponse(await postAs(api, body), TOO_LARGE);
      assert.equal((await api.get("/pets")).pets.length, 2);
    },
  }),
  ...cases({ ...BOUNDS, options: { bodyTimeoutMs: 50 } }, {
    async "answers 408 to a body that stalls, and stores nothing"(api) {
      assertResponse(await postAs(api, stalled(), {}), { status: 408, code: "request_timeout" });
      assert.equal((await api.get("/pets")).text, "[]");
    },
  }),
];
