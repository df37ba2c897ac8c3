/** The cases of creates: section 4.2 of the specification, with valid and invalid pets. */

import { type Api, encode, type RequestBody } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, says } from "./case.ts";
import { newName, storesNothing } from "./catalogue.ts";
import { linkTo, petOf } from "./exact.ts";
import {
  NAMES,
  NO_CATEGORIES,
  NO_NAMES,
  NO_STATUSES,
  NO_STRINGS,
  ROUNDED_CATEGORIES,
  WRITTEN_INT64,
} from "../pet_values.ts";

const REFUSED = says("pets.create", "4.2: 400 if the body is not a NewPet", "store", "host");
const KEPT = addition(
  "pets.create",
  "A name of 1 to 255 code points and a whole categoryId, such as 7.0 or 1e3, are stored exactly, and other members are ignored",
  "store",
  "host",
);
const FAULTS = addition(
  "pets.create",
  "A pet that is not valid gets 400, with a code for each kind of fault, and is not stored",
  "host",
);

type Refused = Record<"invalid_pet" | "invalid_json", RequestBody[]>;

/** Bodies that are no NewPet. Each that names a pet has this name, if only its name is not what is wrong. */
function noPets(name: string): Refused {
  const start = `{"name":"${name}","categoryId"`;
  const whole = `${start}:7}`;
  return {
    invalid_pet: [
      ...NO_STRINGS.map((text) => `{"name":${text},"categoryId":7}`),
      ...NO_CATEGORIES.map((text) => `${start}:${text}}`),
      ...NO_STATUSES.map((text) => `${start}:7,"status":${text}}`),
      `{"name":"${name}"}`,
      '{"categoryId":7}',
      '{"status":"sold"}',
      `{"Name":"${name}","categoryId":7}`,
      `{"title":"${name}","categoryId":7}`,
      `{"name":"${name}","category_id":7}`,
      `{"name":"${name}","CategoryId":7}`,
      `{"name":"${name}","category":7}`,
      `{"pet":${whole}}`,
      `[${whole}]`,
      JSON.stringify(whole),
      "[]",
      "null",
      "7",
      "true",
      "{}",
    ],
    invalid_json: [
      "",
      " ",
      "{",
      "}",
      "undefined",
      start,
      `${start}:7`,
      `${start}:}`,
      `${start}:07}`,
      `${start}:+7}`,
      `${start}:0x7}`,
      `${start}:NaN}`,
      `${start}:7.}`,
      `${start}:.5}`,
      `${start}:7,}`,
      `${whole}}`,
      `${whole} x`,
      `${whole},`,
      `${whole}${whole}`,
      `${whole}// a pet`,
      `(${whole})`,
      `{'name':'${name}','categoryId':7}`,
      `{name:"${name}",categoryId:7}`,
      `{"name":"${name}" "categoryId":7}`,
      `name=${name}&categoryId=7`,
      `<pet><name>${name}</name><categoryId>7</categoryId></pet>`,
      `name: ${name}\ncategoryId: 7\n`,
    ],
  };
}

/** Bodies that this library refuses beyond the specification. */
function moreRefused(name: string): Refused {
  const start = `{"name":"${name}`;
  const bytes = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80]];
  return {
    invalid_pet: [
      ...ROUNDED_CATEGORIES.map((text) => `${start}","categoryId":${text}}`),
      ...NO_NAMES.map((text) => `{"name":${text},"categoryId":7}`),
      `{"__proto__":${start}","categoryId":7}}`,
      `${start}","categoryId":1,"categoryId":"1"}`,
    ],
    invalid_json: [
      `${start}\n","categoryId":1}`,
      "\u0000",
      "[".repeat(50_000),
      '{"a":'.repeat(10_000),
      ...bytes.map((wrong) => new Uint8Array([...encode(start), ...wrong, ...encode('","categoryId":7}')])),
      new Uint8Array([...encode(`${start}","categoryId":7}`), 0xc3]),
    ],
  };
}

/** @param hasCode Whether the errors must have the codes of this project. */
async function assertRefused(api: Api, bodiesWith: (name: string) => Refused, hasCode: boolean): Promise<void> {
  const name = newName();
  await storesNothing(api, name, async () => {
    for (const [code, bodies] of Object.entries(bodiesWith(name))) {
      for (const body of bodies) {
        const response = await api.post(body);
        const request = `the body ${body}`;
        if (hasCode) assertResponse(response, { status: 400, code: code as keyof Refused }, request);
        else assertStatus(response, 400, request);
      }
    }
  });
}

/** A body, and the name and the category that are stored. */
type Stored = [body: string, name: string, categoryId: string];

const STORED: readonly Stored[] = [
  ...NAMES.map((name): Stored => [JSON.stringify({ name, categoryId: 1 }), name, "1"]),
  ...Object.entries(WRITTEN_INT64).map(([written, id]): Stored => [`{"categoryId":${written},"name":"n"}`, "n", id]),
  ['{"name":"\\u0041\\/\\ud83d\\ude00","categoryId":1}', "A/😀", "1"],
  ['{"id":99,"name":"n","categoryId":1,"x":{"name":5,"categoryId":2.5}}', "n", "1"],
  ['{"__proto__":{"status":"sold"},"constructor":1,"name":"n","categoryId":1}', "n", "1"],
  [`{"x":${"[".repeat(500)}${"]".repeat(500)},"name":"n","categoryId":1}`, "n", "1"],
  ['\ufeff{"name":"n","categoryId":1}', "n", "1"],
  // The last of two members counts, as in JSON.parse().
  ['{"categoryId":1,"name":"a","categoryId":9007199254740993,"name":"b"}', "b", "9007199254740993"],
  ['{"name":"a","categoryId":"1","category\\u0049d":9007199254740993}', "a", "9007199254740993"],
];

export const CREATE_CASES: HttpCase[] = [
  ...cases(REFUSED, {
    "answers 400 to a body that is no pet, and stores nothing": (api) => assertRefused(api, noPets, false),
  }),
  ...cases(FAULTS, {
    async "refuses what is no pet, and odd names, rounded categories and what is not UTF-8, each with its code"(api) {
      for (const bodiesWith of [noPets, moreRefused]) await assertRefused(api, bodiesWith, true);
    },
  }),
  ...cases(KEPT, {
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
  }),
];
