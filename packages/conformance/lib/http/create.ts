/** The cases of creates: section 4.2 of the specification, with valid and invalid pets. */

import { type Api, encode, type RequestBody } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, says } from "./case.ts";
import { newName, openEnd, storesNothing, withLimit } from "./catalogue.ts";
import { type ExactPet, linkTo, petOf, petsOf } from "./exact.ts";
import {
  INT64,
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
  "A name of 1 to 255 code points is stored exactly as sent, and members that no pet has are ignored, including id",
  "store",
  "host",
);
const WHOLE_NUMBERS = addition(
  "pets.create",
  "categoryId is a JSON number that is whole and fits int64: 7, 7.0, 1e3",
  "store",
);
const FAULTS = addition(
  "pets.create",
  "A pet that is not valid gets 400, with a code for each kind of fault, and is not stored",
  "host",
);

type Refused = Record<"invalid_pet" | "invalid_json", RequestBody[]>;

/** Makes the body of a pet, some members of which have other JSON texts, or none. */
function bodyOf(name: string, parts: Record<string, string>): string {
  const members = Object.entries({ name: `"${name}"`, categoryId: "7", ...parts }).filter(([, text]) => text !== "");
  return `{${members.map(([member, text]) => `"${member}":${text}`).join(",")}}`;
}

/** Bodies that are no NewPet. Each that names a pet has this name, if only its name is not what is wrong. */
function noPets(name: string): Refused {
  const pet = (parts: Record<string, string> = {}) => bodyOf(name, parts), whole = pet();
  return {
    invalid_pet: [
      ...NO_STRINGS.map((name) => pet({ name })),
      ...NO_CATEGORIES.map((categoryId) => pet({ categoryId })),
      ...NO_STATUSES.map((status) => pet({ status })),
      ...["Name", "title"].map((member) => pet({ name: "", [member]: `"${name}"` })),
      ...["category_id", "CategoryId", "category"].map((member) => pet({ categoryId: "", [member]: "7" })),
      ...[
        `{"pet":${whole}}`,
        `[${whole}]`,
        JSON.stringify(whole),
        "[]",
        "null",
        "7",
        "true",
        "{}",
        '{"status":"sold"}',
      ],
    ],
    invalid_json: [
      ..."{ } undefined name: [ .".split(" "),
      ...["", " ", `name=${name}&categoryId=7`, `<pet><name>${name}</name><categoryId>7</categoryId></pet>`],
      ...[-1, -2, 9].map((end) => whole.slice(0, end)),
      ...["}", " x", ",", whole, "// a pet"].map((end) => whole + end),
      ...["07", "+7", "0x7", "NaN", "", "7.", ".5", "7,"].map((number) => pet({ categoryId: number || " " })),
      ...[`(${whole})`, whole.replaceAll('"', "'"), whole.replaceAll(/"(\w+)":/g, "$1:"), whole.replace(",", " ")],
    ],
  };
}

/** Bodies that this library refuses beyond the specification. */
function moreRefused(name: string): Refused {
  const whole = bodyOf(name, {});
  const bytes = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80]];
  const [start, end] = [encode('{"categoryId":1,"name":"'), encode('"}')];
  return {
    invalid_pet: [
      ...ROUNDED_CATEGORIES.map((categoryId) => bodyOf(name, { categoryId })),
      ...NO_NAMES.map((text) => bodyOf(name, { name: text })),
      ...[`{"__proto__":${whole}}`, `{"name":"${name}","categoryId":1,"categoryId":"1"}`],
    ],
    invalid_json: [
      ...[`{"name":"${name}\n","categoryId":1}`, "\u0000", "[".repeat(50_000), '{"a":'.repeat(10_000)],
      ...bytes.map((wrong) => new Uint8Array([...start, ...wrong, ...end])),
      new Uint8Array([...encode(whole), 0xc3]),
    ],
  };
}

async function assertRefused(api: Api, bodiesWith: (name: string) => Refused, hasCode: boolean): Promise<void> {
  const name = newName();
  await storesNothing(api, name, async () => {
    for (const [code, bodies] of Object.entries(bodiesWith(name))) {
      for (const body of bodies) {
        const response = await api.post(body);
        if (hasCode) assertResponse(response, { status: 400, code: code as keyof Refused }, String(body));
        else assertStatus(response, 400, `the body ${String(body)}`);
      }
    }
  });
}

/** Adds a pet from JSON text and expects exactly this pet in both responses. */
async function expectStored(api: Api, body: string, name: string, categoryId: string): Promise<ExactPet> {
  const response = await api.post(body), created = petOf(response, 201);
  const { id } = created;
  const wanted = { id, name, categoryId: BigInt(categoryId), status: "available" };
  assert.equal(created, wanted, "The created pet");
  const found = await api.get(`/pets/${id}`);
  assert.equal(petOf(found), wanted, "The pet by its id");
  assert.equal(response.headers.get("location"), `${linkTo(found, "successor-version")}/${id}`, "The Location");
  return created;
}

/** Brackets to this depth. */
function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** Bodies, and the name and the category that are stored. */
const STORED: readonly [body: string, name: string, categoryId: string][] = [
  ...NAMES.map((name): [string, string, string] => [JSON.stringify({ name, categoryId: 1 }), name, "1"]),
  ['{"name":"\\u0041\\/\\ud83d\\ude00","categoryId":1}', "A/😀", "1"],
  ['{"id":99,"name":"n","categoryId":1,"x":{"name":5,"categoryId":2.5}}', "n", "1"],
  ['{"__proto__":{"status":"sold"},"constructor":1,"name":"n","categoryId":1}', "n", "1"],
  [`{"x":${nested(500)},"name":"n","categoryId":1}`, "n", "1"],
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
    "tells invalid_pet from invalid_json": (api) => assertRefused(api, noPets, true),
    "refuses odd names, rounded categories, deep nesting and what is not UTF-8": (api) =>
      assertRefused(api, moreRefused, true),
  }),
  ...cases(KEPT, {
    async "keeps names exactly as sent, whatever else a body has, under ascending ids"(api) {
      let last = 0n;
      for (const [body, name, categoryId] of STORED) {
        const { id } = await expectStored(api, body, name, categoryId);
        assert.ok(id > last && id < 2n ** 53n, `The id ${id} must be above ${last}, and below 2^53`);
        last = id;
      }
    },
  }),
  ...cases(WHOLE_NUMBERS, {
    async "keeps int64 exact to the last digit, in the responses to POST, GET by id and list"(api) {
      const { query } = await openEnd(api);
      const pets: ExactPet[] = [];
      for (const [written, number] of [...INT64.map((each) => [each, each]), ...Object.entries(WRITTEN_INT64)]) {
        pets.push(await expectStored(api, `{"categoryId":${written},"name":"Rex"}`, "Rex", String(number)));
      }
      const listed = petsOf(await api.get(`/pets${withLimit(query, 1 + pets.length)}`));
      assert.equal(listed.slice(1), pets, "The pets of the list");
    },
  }),
];
