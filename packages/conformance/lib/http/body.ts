/** The cases of bodies: their types, codings and pieces. */

import { encode } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, ON_HOST, postAs } from "./case.ts";
import { petOf } from "./exact.ts";

export const PET = '{"name":"Rex","categoryId":7}';

const FORM = {
  ...addition("pets.create.body", "Bodies are UTF-8 JSON, with Content-Type: application/json or none"),
  ...ON_HOST,
};

const JSON_TYPES = [
  "application/json",
  "APPLICATION/JSON",
  "Application/Json;charset=utf-8",
  'application/json \t; a="b"',
];
const OTHER_TYPES = [
  "text/plain",
  "application/jsonp",
  "application/json2",
  "text/json",
  "application/x-www-form-urlencoded",
  "application/vnd.api+json",
  "application/problem+json",
  ";",
  "json",
];

/** Makes a body that announces no length. */
export function stream(...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(typeof piece === "string" ? encode(piece) : piece);
    },
  });
}

export const BODY_CASES: HttpCase[] = [
  ...cases(FORM, {
    async "takes application/json in any case, with or without parameters, and no Content-Type at all"(api) {
      for (const type of JSON_TYPES) {
        assertStatus(await postAs(api, PET, { "content-type": type }), 201, `a body of the type ${type}`);
      }
      for (const body of [encode(PET), stream(PET)]) {
        assertStatus(await postAs(api, body, {}), 201, "a body without a type or in pieces");
      }
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
      const empty = { status: 400, code: "invalid_json", message: /empty/ } as const;
      for (const body of ["", stream()]) assertResponse(await postAs(api, body), empty);
      assertResponse(await api.send("POST", "/pets"), empty);
    },
    async "reads a body that comes in pieces, even within a character"(api) {
      assertStatus(await postAs(api, stream(...PET)), 201, "a body without a type or in pieces");
      const bytes = encode('{"name":"😀","categoryId":9007199254740993}');
      const pet = petOf(await postAs(api, stream(...Array.from(bytes, (byte) => Uint8Array.of(byte)))), 201);
      assert.deepEqual([pet.name, pet.categoryId], ["😀", 9007199254740993n], "The name and the category");
      const noUtf8 = { status: 400, code: "invalid_json", message: /UTF-8/ } as const;
      for (const [start, end] of [[PET, ""], ['{"categoryId":7,"name":"', '"}']] as const) {
        assertResponse(await postAs(api, stream(start, Uint8Array.of(0xc3), end)), noUtf8, start);
      }
    },
  }),
];
