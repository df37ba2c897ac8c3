/** The cases of bodies: their types, codings, pieces and sizes. */

import { encode } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase } from "./case.ts";
import { storesNothing } from "./catalogue.ts";
import { petOf } from "./exact.ts";

export const PET = '{"name":"Rex","categoryId":7}';
export const TOO_LARGE = { status: 413, code: "body_too_large" } as const;

const FORM = addition("pets.create.body", "Bodies are UTF-8 JSON, with Content-Type: application/json or none");
const BOUNDS = addition("pets.create.body", "A body has at most 64 KiB");

const JSON_TYPES = [
  "application/json",
  "APPLICATION/JSON",
  "Application/Json;charset=utf-8",
  'application/json \t; a="b"',
];
const OTHER_TYPES = [
  ..."text/plain application/jsonp application/json2 text/json application/x-www-form-urlencoded".split(" "),
  ..."application/vnd.api+json application/problem+json ; json".split(" "),
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
        assertStatus(await api.post(PET, { headers: { "content-type": type } }), 201, `a body of the type ${type}`);
      }
      for (const body of [encode(PET), stream(PET)]) {
        assertStatus(await api.send("POST", "/pets", { body }), 201, "a body without a type");
      }
    },
    async "answers 415 to every other media type, and to an encoded body"(api) {
      const wrong = [...OTHER_TYPES.map((type) => ({ "content-type": type })), { "content-encoding": "gzip" }];
      for (const headers of wrong) {
        const coding = "content-encoding" in headers ? "identity" : null;
        const fields = { "accept-post": "application/json", "accept-encoding": coding };
        const expected = { status: 415, code: "unsupported_media_type", headers: fields } as const;
        assertResponse(await api.post(PET, { headers: { ...headers } }), expected, JSON.stringify(headers));
      }
    },
    async "reads a body that comes in pieces, even within a character"(api) {
      const bytes = encode('{"name":"😀","categoryId":9007199254740993}');
      const { name, categoryId } = petOf(
        await api.post(stream(...Array.from(bytes, (byte) => Uint8Array.of(byte)))),
        201,
      );
      assert.equal([name, categoryId], ["😀", 9007199254740993n], "The name and the category");
      for (const [start, end] of [[PET, ""], ['{"categoryId":7,"name":"', '"}']] as const) {
        const response = await api.post(stream(start, Uint8Array.of(0xc3), end));
        assertResponse(response, { status: 400, code: "invalid_json" }, "a body that ends within a character");
      }
    },
  }),
  ...cases(BOUNDS, {
    async "answers 413 to 3 MiB, and takes 64 KiB"(api) {
      assertStatus(await api.post(PET.padEnd(65_536)), 201, "64 KiB");
      await storesNothing(api, async () => {
        for (const body of [PET.padEnd(3_145_728), stream(PET, ...Array(48).fill(" ".repeat(65_536)))]) {
          assertResponse(await api.post(body), TOO_LARGE, "3 MiB");
        }
      });
    },
  }),
];
