import type { ApiResponse, RequestParts } from "./api.ts";
import * as assert from "./assert.ts";
import { addition, type HttpCase } from "./case.ts";
import { addedBy, storesNothing } from "./catalogue.ts";
import { assertResponse, petOf } from "./responses.ts";

export const REX = { name: "Rex", categoryId: 7, status: "sold" };

export function withKey(key: string): RequestParts {
  return { headers: { "idempotency-key": key } };
}

const BAD_KEYS = [
  '""',
  '"a',
  '"a"b',
  '"\\a"',
  "a,b",
  "é",
  "a b",
  "x".repeat(256),
  `"${"x".repeat(256)}"`,
];

/** Parameters that may follow the string of a structured field, and are ignored. */
const PARAMETERS = [";v=1", "; v=-1.525;w", ';v="a;b\\"c";w=:YQ==:'];

/** Throws unless a create was answered with 201 as the first was. */
function assertReplayed(response: ApiResponse, first: ApiResponse, replayed: string | null): void {
  const { status, text, headers } = response;
  assert.equal(
    [status, text, headers.get("location"), headers.get("idempotency-replayed")],
    [201, first.text, first.headers.get("location"), replayed],
    "The status, the body, the Location and Idempotency-Replayed of a create with an Idempotency-Key",
  );
}

export const IDEMPOTENCY_CASES: readonly HttpCase[] = [
  ...addition("pets.create.idempotency", "A create that is repeated with its Idempotency-Key makes one pet", {
    async "answers a repeated create with the first response, and creates no second pet"(api) {
      const parts = withKey(`"${crypto.randomUUID()}"`);
      const bodies = [REX, JSON.stringify(REX, null, 2), { status: "sold", categoryId: 7.0, name: "Rex", id: 99 }];
      const added = await addedBy(api, async () => {
        const first = await api.post(REX, parts);
        assertReplayed(first, first, null);
        for (const body of bodies) assertReplayed(await api.post(body, parts), first, "true");
        for (let i = 0; i < 12; i++) await api.post(REX);
        assertReplayed(await api.post(REX, parts), first, "true");
      });
      assert.equal(added.length, 13, "The number of pets of 12 creates, and one that was sent five times");
    },
    async "refuses an Idempotency-Key that was used for another pet with 422"(api) {
      const parts = withKey(crypto.randomUUID());
      await api.post(REX, parts);
      await storesNothing(api, async () => {
        for (const other of [{ name: "Bo" }, { categoryId: 8 }, { status: "pending" }]) {
          const response = await api.post({ ...REX, ...other }, parts);
          assertResponse(response, 422, "idempotency_key_reused");
        }
      });
    },
    async "does not remember a request that failed"(api) {
      const parts = withKey(crypto.randomUUID());
      for (const body of ["{", { name: "", categoryId: 7 }]) assertResponse(await api.post(body, parts), 400);
      const response = await api.post(REX, parts);
      assertReplayed(response, response, null);
    },
  }),
  ...addition(
    "pets.create.idempotency",
    "An Idempotency-Key is 1 to 255 visible ASCII characters without quote, backslash and comma, or a string of RFC 9651",
    {
      async "takes an Idempotency-Key bare or quoted, of up to 255 characters, as one and the same"(api) {
        const idFor = async (key: string) => petOf(await api.post(REX, withKey(key)), 201).id;
        const short = `a${crypto.randomUUID()}`;
        const keys = [short, short.toUpperCase(), short.padEnd(255, "x"), `${short};/=+`];
        const ids = new Set<bigint>();
        for (const key of keys) {
          const id = await idFor(key);
          assert.equal(await idFor(`"${key}"`), id, "The id for an Idempotency-Key that is quoted now");
          ids.add(id);
        }
        for (const parameters of PARAMETERS) ids.add(await idFor(`"${short}"${parameters}`));
        ids.add(await idFor(`"${short}\\", c"`));
        assert.equal(ids.size, 5, "The number of pets of five Idempotency-Keys");
      },
      async "refuses an invalid Idempotency-Key with 400, and creates no pet"(api) {
        await storesNothing(api, async () => {
          for (const key of BAD_KEYS) {
            assertResponse(await api.post(REX, withKey(key)), 400, "invalid_idempotency_key");
          }
        });
      },
    },
  ),
];
