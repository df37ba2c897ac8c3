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

/** Brackets to this depth. */
function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** Bodies, and the name and the category that are stored. */
const STORED: readonly [body: string, name: string, categoryId: string][] = [
  ...NAMES.map((name): [string, string, string] => [JSON.stringify({ name, categoryId: 1 }), name, "1"]),
  ...Object.entries(WRITTEN_INT64).map(([written, number]): [string, string, string] => [
    `{"categoryId":${written},"name":"n"}`,
    "n",
    number,
  ]),
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
    async "refuses what is no pet, and odd names, rounded categories and what is not UTF-8, each with its code"(api) {
      for (const bodiesWith of [noPets, moreRefused]) await assertRefused(api, bodiesWith, true);
    },
  }),
  ...cases(KEPT, {
    async "keeps names and int64 exactly, whatever else a body has, under ascending ids"(api) {
      let last = 0n;
      for (const [body, name, categoryId] of STORED) {
        const response = await api.post(body), created = petOf(response, 201), { id } = created;
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
