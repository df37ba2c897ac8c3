/** Section 4.2: valid and invalid pets. */

import assert from "node:assert/strict";
import type { Api } from "./api.ts";
import { caseWith, type HttpCase, httpCase } from "./case.ts";

const INT64 = ["9223372036854775807", "-9223372036854775808", "9007199254740993", "-9007199254740993", "0", "-1"];

/** Other notations of whole numbers, and their values. */
const WRITTEN: Record<string, string> = {
  "7.0": "7",
  "1e3": "1000",
  "1E+3": "1000",
  "70e-1": "7",
  "-0": "0",
  "0e99999": "0",
  "9.223372036854775807e18": "9223372036854775807",
  "9007199254740993.000": "9007199254740993",
};

const BAD_CATEGORIES = [
  ...['"7"', "7.5", "9223372036854775808", "-9223372036854775809", "1e19", "1e400", "1e-400", "null", "true", "[7]"],
  ...["{}", "1.0000000000000000001", "4503599627370497.5"],
];

const GOOD_NAMES = [
  ...["x", "x".repeat(255), "😀".repeat(255), 'a"b\\c/d', "  padded  ", "\u2028\u2029é\u{1F600}", "__proto__"],
  ...["';DROP TABLE pets;--", "a\u00a0b", "\ufeffx"],
];

const BAD_NAMES = [
  ...['""', '" "', '"\u00a0\u2003"', '"\ufeff"', '"a\\u0000b"', '"a\\nb"', '"\\u007f"', '"\\u0085"', '"\\ud800"'],
  ...['"\\udc00x"', '"\\ude00\\ud83d"', `"${"x".repeat(256)}"`, `"${"😀".repeat(256)}"`, `"${"x".repeat(100_000)}"`],
  ...["null", "7", "[]", "{}", "true"],
];

/** Adds a pet from JSON text and expects exactly this text in all three responses. */
async function expectStored(api: Api, body: string, name: string, categoryId: string): Promise<void> {
  const created = await api.post(body);
  assert.equal(created.status, 201, created.text);
  const location = created.headers.get("location") ?? "";
  const id = location.replace("/v1/pets/", "");
  const text = `{"id":${id},"name":${name},"categoryId":${categoryId},"status":"available"}`;
  assert.equal(created.text, text);
  assert.equal((await api.get(`/${location}`)).text, text);
  assert.ok((await api.get("/pets?limit=100")).text.includes(text));
}

async function expectRefused(api: Api, body: string | Uint8Array, code: string, message = /./): Promise<void> {
  const response = await api.post(body);
  assert.deepEqual([response.status, response.error.code], [400, code], String(body).slice(0, 80));
  assert.match(response.error.message, message);
  assert.ok(response.error.message.length < 800, "a message as long as the request");
  assert.equal((await api.get("/pets")).text, "[]");
}

export const CREATE_CASES: HttpCase[] = [
  httpCase("creates a pet, and returns its Location", async (api) => {
    const first = await api.post({ name: "Rex", categoryId: 7, status: "pending" });
    assert.deepEqual([first.status, first.headers.get("location")], [201, "/v1/pets/1"]);
    assert.equal(first.text, '{"id":1,"name":"Rex","categoryId":7,"status":"pending"}');
    assert.equal((await api.post({ name: "Rex", categoryId: 7 })).headers.get("location"), "/v1/pets/2");
  }),
  httpCase("takes available for a status that was left out", async (api) => {
    assert.equal((await api.post({ name: "Rex", categoryId: 7 })).pet.status, "available");
  }),
  caseWith(
    { defaultStatus: "pending" },
    "takes the option defaultStatus for a status that was left out",
    async (api) => {
      assert.equal((await api.post({ name: "Rex", categoryId: 7 })).pet.status, "pending");
      assert.equal((await api.get("/pets?status=pending")).pets.length, 1);
    },
  ),
  httpCase("keeps int64 exact to the last digit, in the responses to POST, GET by id and list", async (api) => {
    for (const number of INT64) await expectStored(api, `{"name":"n","categoryId":${number}}`, '"n"', number);
    for (const [written, number] of Object.entries(WRITTEN)) {
      await expectStored(api, `{"categoryId":${written},"name":"n"}`, '"n"', number);
    }
  }),
  httpCase("keeps names exactly as sent", async (api) => {
    for (const name of GOOD_NAMES.map((name) => JSON.stringify(name))) {
      await expectStored(api, `{"name":${name},"categoryId":1}`, name, "1");
    }
    await expectStored(api, '{"name":"\\u0041\\/\\ud83d\\ude00","categoryId":1}', '"A/😀"', "1");
  }),
  httpCase("refuses every categoryId that is not an int64, and stores nothing", async (api) => {
    for (const value of BAD_CATEGORIES) {
      await expectRefused(api, `{"name":"n","categoryId":${value}}`, "invalid_pet", /categoryId/);
    }
  }),
  httpCase("refuses every invalid name, and stores nothing", async (api) => {
    for (const value of BAD_NAMES) {
      await expectRefused(api, `{"name":${value},"categoryId":1}`, "invalid_pet", /name/);
    }
  }),
  httpCase("refuses every status in a body except the three valid ones", async (api) => {
    for (const value of ["null", '""', '"SOLD"', '"lost"', "1", "[]", '["sold"]', "false"]) {
      await expectRefused(
        api,
        `{"name":"n","categoryId":1,"status":${value}}`,
        "invalid_pet",
        /status must be one of available, pending, sold/,
      );
    }
  }),
  httpCase("names every fault of a body in one message", async (api) => {
    await expectRefused(
      api,
      '{"name":"","categoryId":"7","status":"lost"}',
      "invalid_pet",
      /name .*categoryId .*status /,
    );
    await expectRefused(api, "{}", "invalid_pet", /name is required; categoryId is required$/);
  }),
  httpCase("refuses a body that is JSON but no object", async (api) => {
    for (const body of ["null", "7", '"pet"', "true", "[]", '[{"name":"n","categoryId":1}]']) {
      await expectRefused(api, body, "invalid_pet", /JSON object/);
    }
  }),
  httpCase("refuses what is not JSON", async (api) => {
    const whole = '{"name":"Rex","categoryId":7}';
    const truncated = Array.from({ length: whole.length }, (_, i) => whole.slice(0, i));
    const bodies = [
      ...[...truncated, `${whole}x`, "{'name':1}", '{"name":"Rex",}', "NaN", '{"categoryId":07}', '{"categoryId":.5}'],
      ...['{"categoryId":1.}', '{"name":"a\nb"}', "\u0000", "[".repeat(100_000), '{"a":'.repeat(100_000)],
    ];
    for (const body of bodies) await expectRefused(api, body, "invalid_json");
  }),
  httpCase("refuses a body that is not UTF-8", async (api) => {
    const [start, end] = ['{"categoryId":1,"name":"', '"}'].map((text) => new TextEncoder().encode(text));
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80]]) {
      await expectRefused(api, new Uint8Array([...start ?? [], ...bytes, ...end ?? []]), "invalid_json", /UTF-8/);
    }
    await expectRefused(api, new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), "invalid_json");
  }),
  httpCase("takes a body with a byte-order mark, and deep nesting in a member that it ignores", async (api) => {
    assert.equal((await api.post('\ufeff{"name":"n","categoryId":1}')).status, 201);
    const deep = "[".repeat(500) + "]".repeat(500);
    assert.equal((await api.post(`{"x":${deep},"name":"n","categoryId":1}`)).status, 201);
  }),
  httpCase("answers 400 or 201 to deep nesting, and never 500", async (api) => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const { status } = await api.post(`{"x":${deep},"name":"n","categoryId":1}`);
    // Engines differ in their depth limit.
    assert.ok(status === 201 || status === 400);
    assert.equal((await api.post(deep)).status, 400);
  }),
  httpCase("ignores unknown members and a client's own id, and pollutes no prototype", async (api) => {
    await expectStored(api, '{"id":99,"name":"n","categoryId":1,"x":{"name":5,"categoryId":2.5}}', '"n"', "1");
    const polluting = '{"__proto__":{"status":"sold"},"constructor":1,"name":"n","categoryId":1}';
    await expectStored(api, polluting, '"n"', "1");
    assert.equal(({} as Record<string, unknown>)["status"], undefined);
    const response = await api.post('{"__proto__":{"name":"n","categoryId":1}}');
    assert.equal(response.status, 400);
  }),
  httpCase("takes the last of duplicate members, as JSON.parse does, for int64 too", async (api) => {
    const [big, twice] = ["9007199254740993", '{"categoryId":1,"name":"a","categoryId":9007199254740993,"name":"b"}'];
    await expectStored(api, twice, '"b"', big);
    assert.equal((await api.post('{"name":"a","categoryId":1,"categoryId":"1"}')).status, 400);
    await expectStored(api, `{"name":"a","categoryId":"1","category\\u0049d":${big}}`, '"a"', big);
  }),
];
