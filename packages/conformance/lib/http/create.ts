/** The cases of creates: section 4.2 of the specification, with valid and invalid pets. */

import type { ErrorBody } from "@petstore/petstore";
import { type Api, encode, type RequestBody } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, ON_BOTH, ON_HOST, ON_STORE, postAs } from "./case.ts";
import { addedBy, openEnd, withLimit } from "./catalogue.ts";
import { INT64, NAMES, NO_NAMES, ROUNDED_CATEGORIES, WRITTEN_INT64 } from "../pet_values.ts";
import { type ExactPet, ODD_CATEGORY, ODD_NAME, petOf, petsOf } from "./exact.ts";

const KEPT = addition(
  "pets.create",
  "A name of 1 to 255 code points is stored exactly as sent, and members that no pet has are ignored, including id",
);
const WHOLE_NUMBERS = addition("pets.create", "categoryId is a JSON number that is whole and fits int64: 7, 7.0, 1e3");
const FAULTS = addition(
  "pets.create",
  "A pet that is not valid gets 400, with a message for each fault, and is not stored",
);

/** Adds a pet from JSON text and expects exactly this pet in both responses. */
async function expectStored(api: Api, body: string, name: string, categoryId: string): Promise<ExactPet> {
  const created = petOf(await api.post(body), 201);
  const { id } = created;
  assert.deepEqual(created, { id, name, categoryId: BigInt(categoryId), status: "available" }, "The created pet");
  assert.deepEqual(petOf(await api.get(`/pets/${id}`)), created, "The pet by its id");
  return created;
}

const WHOLE = '{"name":"Rex","categoryId":7}';

const NO_JSON = [
  ...Array.from({ length: WHOLE.length - 1 }, (_, i) => WHOLE.slice(0, i + 1)),
  '{"categoryId":.5}',
  '{"categoryId":1.}',
  '{"name":"a\nb"}',
  "\u0000",
  "[".repeat(50_000),
  '{"a":'.repeat(10_000),
];

/** Makes bodies of pets, one member of which has these JSON texts. */
function bodiesWith(member: "name" | "categoryId", values: readonly string[]): string[] {
  return values.map((value) => {
    const texts = Object.entries({ name: `"${ODD_NAME}"`, categoryId: String(ODD_CATEGORY), [member]: value });
    return `{${texts.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
  });
}

const INCOMPLETE = [`{"name":"${ODD_NAME}"}`, `{"categoryId":${ODD_CATEGORY}}`, "{}"];

/** Bodies that are not UTF-8 within a name, and one that ends within a character. */
const NO_UTF8 = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80]].map((bytes) => {
  const [start, end] = ['{"categoryId":1,"name":"', '"}'].map(encode);
  return new Uint8Array([...start!, ...bytes, ...end!]);
}).concat(new Uint8Array([...encode(WHOLE), 0xc3]));

/** What is wrong with a body, and the code and the message of the 400 that it gets. Nothing of it is stored. */
type Refusal = [what: string, code: ErrorBody["code"], message: RegExp, bodies: readonly RequestBody[]];

/** What the specification refuses is a case of its own, so few of these bodies show the code and the message. */
const REFUSALS: readonly Refusal[] = [
  [
    "every categoryId that a parser may round to an int64",
    "invalid_pet",
    /^(?!.*(?:required|status|name)).*categoryId/,
    bodiesWith("categoryId", ['"7"', "null", ...ROUNDED_CATEGORIES]),
  ],
  ["every invalid name", "invalid_pet", /^(?!.*(?:required|status|categoryId)).*name/, bodiesWith("name", NO_NAMES)],
  ["every status but the three", "invalid_pet", /available, pending, sold/, [WHOLE.replace("}", ',"status":"lost"}')]],
  ["JSON that is no object", "invalid_pet", /JSON object/, ["null", `[${WHOLE}]`]],
  ["a body without the members of a pet", "invalid_pet", /(name|categoryId) is required$/, INCOMPLETE],
  [
    "a pet in __proto__, and one whose second category is no number",
    "invalid_pet",
    /required|categoryId/,
    [`{"__proto__":${WHOLE}}`, `{"name":"${ODD_NAME}","categoryId":1,"categoryId":"1"}`],
  ],
  ["what is not JSON", "invalid_json", /^(?!.*empty)/, NO_JSON],
  ["what is not UTF-8", "invalid_json", /UTF-8/, NO_UTF8],
];

const REFUSAL_CASES = REFUSALS.flatMap(([what, code, message, bodies]) =>
  cases({ ...FAULTS, ...(bodies === NO_UTF8 ? ON_HOST : {}) }, {
    async [`refuses ${what}, and stores nothing`](api) {
      const added = await addedBy(api, async () => {
        for (const body of bodies) {
          assertResponse(await postAs(api, body), { status: 400, code, message }, String(body));
        }
      });
      assert.deepEqual(added, [], "The ids of pets that were refused, and stored all the same");
    },
  })
);

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
  ...cases({ ...KEPT, ...ON_BOTH }, {
    async "keeps names exactly as sent, whatever else a body has"(api) {
      for (const [body, name, categoryId] of STORED) await expectStored(api, body, name, categoryId);
    },
  }),
  ...cases({ ...WHOLE_NUMBERS, ...ON_STORE }, {
    async "keeps int64 exact to the last digit, in the responses to POST, GET by id and list"(api) {
      const { query } = await openEnd(api);
      const pets: ExactPet[] = [];
      for (const [written, number] of [...INT64.map((each) => [each, each]), ...Object.entries(WRITTEN_INT64)]) {
        pets.push(await expectStored(api, `{"categoryId":${written},"name":"${ODD_NAME}"}`, ODD_NAME, String(number)));
      }
      const listed = petsOf(await api.get(`/pets${withLimit(query, 1 + pets.length)}`));
      assert.deepEqual(listed.slice(1), pets, "The pets of the list");
    },
  }),
  ...cases({ ...addition("pets.create.body", "No body that is JSON or not leads to a 500"), ...ON_HOST }, {
    async "never answers 500 to deep nesting"(api) {
      // Engines differ in how deep JSON may be.
      const { status } = await api.post(`{"x":${nested(30_000)},"name":"n","categoryId":1}`);
      assert.ok(status === 201 || status === 400, `30,000 brackets get ${status}, which should be 201 or 400`);
      assertStatus(await api.post(nested(30_000)), 400, "30,000 brackets");
    },
  }),
  ...REFUSAL_CASES,
  ...cases(FAULTS, {
    async "names every fault of a body in the message"(api) {
      const { error } = await postAs(api, `{"name":"","categoryId":"${ODD_CATEGORY}","status":"lost"}`);
      const fields = /^(?=.*name)(?=.*categoryId)(?=.*status)/;
      assert.match(error.message, fields, "The message must name each of the fields name, categoryId and status");
    },
  }),
];
