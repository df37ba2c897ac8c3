/** The cases of creates: section 4.2 of the specification, with valid and invalid pets, and the types and sizes of bodies. */

import { encode, type RequestBody } from "./api.ts";
import * as assert from "./assert.ts";
import { addition, type HttpCase, says } from "./case.ts";
import { storesNothing } from "./catalogue.ts";
import { assertResponse, linkTo, petOf } from "./responses.ts";
import {
  NAMES,
  NO_CATEGORIES,
  NO_NAMES,
  NO_STATUSES,
  NO_STRINGS,
  ROUNDED_CATEGORIES,
  WRITTEN_INT64,
} from "../pet_values.ts";

export const PET = '{"name":"Rex","categoryId":7}';

type Refused = Record<"invalid_pet" | "invalid_json", RequestBody[]>;

/** Bodies that are no NewPet. */
const NO_PETS: Refused = {
  invalid_pet: [
    ...NO_STRINGS.map((text) => `{"name":${text},"categoryId":7}`),
    ...NO_CATEGORIES.map((text) => `{"name":"Rex","categoryId":${text}}`),
    ...NO_STATUSES.map((text) => `{"name":"Rex","categoryId":7,"status":${text}}`),
    '{"name":"Rex"}',
    '{"categoryId":7}',
    '{"Name":"Rex","categoryId":7}',
    '{"name":"Rex","category_id":7}',
    `[${PET}]`,
    JSON.stringify(PET),
    "null",
    "7",
    "{}",
  ],
  invalid_json: [
    "",
    "{",
    PET.replace("}", ""),
    PET.replace("7", ""),
    PET.replace("7", "07"),
    PET.replace("7", "NaN"),
    PET.replace("7", "7,"),
    `${PET}${PET}`,
    `${PET}// a pet`,
    "{'name':'Rex','categoryId':7}",
    '{name:"Rex",categoryId:7}',
    "name=Rex&categoryId=7",
  ],
};

/** Bytes that are not UTF-8. */
const NOT_UTF8 = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]];

/** Bodies that this library refuses beyond the specification. */
const MORE_REFUSED: Refused = {
  invalid_pet: [
    ...ROUNDED_CATEGORIES.map((text) => PET.replace("7", text)),
    ...NO_NAMES.map((text) => `{"name":${text},"categoryId":7}`),
    `{"__proto__":${PET}}`,
    '{"name":"Rex","categoryId":1,"categoryId":"1"}',
  ],
  invalid_json: [
    '{"name":"Rex\n","categoryId":1}',
    "\u0000",
    "[".repeat(50_000),
    // The pet with bytes that are not UTF-8 in its name.
    ...NOT_UTF8.map((wrong) => new Uint8Array([...encode('{"name":"'), ...wrong, ...encode('","categoryId":7}')])),
  ],
};

/** A body, and the name and the category that are stored. */
type Stored = [body: string, name: string, categoryId: string];

const STORED: readonly Stored[] = [
  ...NAMES.map((name): Stored => [JSON.stringify({ name, categoryId: 1 }), name, "1"]),
  ...Object.entries(WRITTEN_INT64).map(([written, id]): Stored => [`{"categoryId":${written},"name":"n"}`, "n", id]),
  ['{"name":"\\u0041\\/\\ud83d\\ude00","categoryId":1}', "A/😀", "1"],
  ['{"id":99,"name":"n","categoryId":1,"x":{"name":5,"categoryId":2.5}}', "n", "1"],
  ['{"__proto__":{"status":"sold"},"name":"n","categoryId":1}', "n", "1"],
  [`{"x":${"[".repeat(500)}${"]".repeat(500)},"name":"n","categoryId":1}`, "n", "1"],
  ['\ufeff{"name":"n","categoryId":1}', "n", "1"],
  // The last of two members counts, as in JSON.parse().
  ['{"categoryId":1,"name":"a","categoryId":9007199254740993,"name":"b"}', "b", "9007199254740993"],
  ['{"name":"a","categoryId":"1","category\\u0049d":9007199254740993}', "a", "9007199254740993"],
];

export const CREATE_CASES: HttpCase[] = [
  ...says("pets.create", "4.2: 400 if the body is not a NewPet", {
    "answers 400 to a body that is no pet, and stores nothing": (api) =>
      storesNothing(api, async () => {
        for (const body of Object.values(NO_PETS).flat()) assertResponse(await api.post(body), 400);
      }),
  }),
  ...addition(
    "pets.create",
    "A pet that is not valid gets 400, with a code for each kind of fault, and is not stored",
    {
      "refuses what is no pet, and odd names, rounded categories and what is not UTF-8, each with its code": (api) =>
        storesNothing(api, async () => {
          for (const code of ["invalid_pet", "invalid_json"] as const) {
            for (const body of [...NO_PETS[code], ...MORE_REFUSED[code]]) {
              assertResponse(await api.post(body), 400, code);
            }
          }
        }),
    },
  ),
  ...addition(
    "pets.create",
    "A name of 1 to 255 code points and a whole categoryId, such as 7.0 or 1e3, are stored exactly, and other members are ignored",
    {
      async "keeps names and int64 exactly, whatever else a body has, under ascending ids"(api) {
        let last = 0n;
        for (const [body, name, categoryId] of STORED) {
          const response = await api.post(body);
          const created = petOf(response, 201);
          const { id } = created;
          const wanted = { id, name, categoryId: BigInt(categoryId), status: "available" };
          assert.equal(created, wanted, "The created pet");
          const found = await api.get(`/pets/${id}`);
          assert.equal(petOf(found), wanted, "The pet by its id");
          assert.equal(response.headers.get("location"), `${linkTo(found, "successor-version")}/${id}`, "The Location");
          assert.ok(id > last && id < 2n ** 53n, `The id ${id} must be above ${last}, and below 2^53`);
          last = id;
        }
      },
    },
  ),
];

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
