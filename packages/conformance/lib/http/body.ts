/** The cases of bodies: their types, codings, pieces and sizes. */

import { encode } from "./api.ts";
import * as assert from "./assert.ts";
import { addition, type HttpCase } from "./case.ts";
import { storesNothing } from "./catalogue.ts";
import { assertResponse, petOf } from "./responses.ts";

export const PET = '{"name":"Rex","categoryId":7}';

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
  ...addition("pets.create.body", "Bodies are UTF-8 JSON, with Content-Type: application/json or none", {
    async "takes application/json in any case, with or without parameters, and no Content-Type at all"(api) {
      for (const type of JSON_TYPES) {
        assertResponse(await api.post(PET, { headers: { "content-type": type } }), 201);
      }
      for (const body of [encode(PET), stream(PET)]) {
        assertResponse(await api.send("POST", "/pets", { body }), 201);
      }
    },
    async "answers 415 to every other media type, and to an encoded body"(api) {
      const accept = { "accept-post": "application/json", "accept-encoding": null };
      for (const type of OTHER_TYPES) {
        const response = await api.post(PET, { headers: { "content-type": type } });
        assertResponse(response, 415, "unsupported_media_type", { headers: accept });
      }
      const encoded = await api.post(PET, { headers: { "content-encoding": "gzip" } });
      const headers = { ...accept, "accept-encoding": "identity" };
      assertResponse(encoded, 415, "unsupported_media_type", { headers });
    },
    async "reads a body that comes in pieces, even within a character"(api) {
      const bytes = encode('{"name":"😀","categoryId":9007199254740993}');
      const response = await api.post(stream(...Array.from(bytes, (byte) => Uint8Array.of(byte))));
      const { name, categoryId } = petOf(response, 201);
      assert.equal([name, categoryId], ["😀", 9007199254740993n], "The name and the category");
      for (const [start, end] of [[PET, ""], ['{"categoryId":7,"name":"', '"}']] as const) {
        const cut = await api.post(stream(start, Uint8Array.of(0xc3), end));
        assertResponse(cut, 400, "invalid_json");
      }
    },
  }),
  ...addition("pets.create.body", "A body has at most 64 KiB", {
    async "answers 413 to 3 MiB, and takes 64 KiB"(api) {
      assertResponse(await api.post(PET.padEnd(65_536)), 201);
      await storesNothing(api, async () => {
        for (const body of [PET.padEnd(3_145_728), stream(PET, ...Array(48).fill(" ".repeat(65_536)))]) {
          assertResponse(await api.post(body), 413, "body_too_large");
        }
      });
    },
  }),
];
