import type { Api, RequestParts } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase } from "./case.ts";
import { addedBy, addPets } from "./catalogue.ts";
import { petOf } from "./exact.ts";

export const REX = { name: "Rex", categoryId: 7, status: "sold" };

const ONCE = addition("pets.create.idempotency", "A create that is repeated with its Idempotency-Key makes one pet");
const FORM = addition(
  "pets.create.idempotency",
  "An Idempotency-Key is 1 to 255 visible ASCII characters without quote, backslash and comma, or a string of RFC 9651",
);
const REMEMBERED = { ...ONCE, needs: ["createOnce"], dependsOn: ["store"] } as const;

export function withKey(key: string): RequestParts {
  return { headers: { "idempotency-key": key } };
}

const BAD_KEYS = [
  ...'"" " "a a" "a"b "a"; "a";P=1 "a";p= "a";p="x "a";p=1.2345 "\\a" "a\\" a,b é a\\b'.split(" "),
  ...["", " ", '"a" ;p=1', '"a";p=1, "b"', "a b", '"a", "b"', "x".repeat(256), `"${"x".repeat(256)}"`],
];

/** Parameters that may follow the string of a structured field, and are ignored. */
const PARAMETERS = [";v=1", "; v=-1.525;w", ';v="a;b\\"c"', ";v=to/ken;*x=?1", ';v=:YQ==:;w=@1659578233;x=%"f%c3%bc"'];

/** Sends creates that add no pet. */
async function assertNoneAdded(api: Api, send: () => Promise<void>): Promise<void> {
  assert.equal(await addedBy(api, send), [], "The ids of pets that were refused, and stored all the same");
}

/** The cases of Idempotency-Key. They need a store with `createOnce()`. */
export const IDEMPOTENCY_CASES: readonly HttpCase[] = [
  ...cases(REMEMBERED, {
    async "answers a repeated create with the first response, and creates no second pet"(api) {
      const parts = withKey(`"${crypto.randomUUID()}"`);
      const bodies = [REX, JSON.stringify(REX, null, 2), { status: "sold", categoryId: 7.0, name: "Rex", id: 99 }, REX];
      let id = 0n;
      const added = await addedBy(api, async () => {
        const first = await api.post(REX, parts);
        id = petOf(first, 201).id;
        assert.equal(
          first.headers.get("idempotency-replayed"),
          null,
          "The field Idempotency-Replayed of a first create",
        );
        for (const body of bodies) {
          const { status, text, headers } = await api.post(body, parts);
          assert.equal(
            [status, text, headers.get("location"), headers.get("idempotency-replayed")],
            [201, first.text, first.headers.get("location"), "true"],
            "The status, the body, the Location and Idempotency-Replayed of a repeated create",
          );
        }
      });
      assert.equal(added, [id], "The ids of the pets that were added by one create and its repetitions");
      await addPets(api, Array(12).fill("sold"));
      assert.equal(petOf(await api.post(REX, parts), 201).id, id, "The id of a create that is repeated after others");
    },
    async "refuses an Idempotency-Key that was used for another pet with 422"(api) {
      const parts = withKey(crypto.randomUUID());
      await api.post(REX, parts);
      await assertNoneAdded(api, async () => {
        for (const other of [{ ...REX, name: "Bo" }, { ...REX, categoryId: 8 }, { ...REX, status: "pending" }]) {
          const expected = { status: 422, code: "idempotency_key_reused" } as const;
          assertResponse(await api.post(other, parts), expected, "a create with the Idempotency-Key of another pet");
        }
      });
    },
    async "does not remember a request that failed"(api) {
      const parts = withKey(crypto.randomUUID());
      for (const body of ["{", { name: "", categoryId: 7 }]) assertStatus(await api.post(body, parts), 400, "no pet");
      const { status, headers } = await api.post(REX, parts);
      const shown = [status, headers.get("idempotency-replayed")];
      assert.equal(
        shown,
        [201, null],
        "The status and Idempotency-Replayed of a create whose key a wrong pet had before",
      );
    },
  }),
  ...cases({ ...FORM, needs: ["createOnce"] }, {
    async "takes an Idempotency-Key bare or quoted, of up to 255 characters, as one and the same"(api) {
      const idFor = async (key: string) => petOf(await api.post(REX, withKey(key)), 201).id;
      const short = `a${crypto.randomUUID()}`;
      const first = await idFor(short);
      const others = [crypto.randomUUID().padEnd(255, "x"), `${crypto.randomUUID()};/=+`, short.toUpperCase()];
      const ids = [first];
      for (const key of others) {
        const id = await idFor(key);
        assert.equal(await idFor(`"${key}"`), id, "The id for an Idempotency-Key that is quoted now");
        ids.push(id);
      }
      for (const parameters of ["", ...PARAMETERS]) {
        assert.equal(await idFor(`"${short}"${parameters}`), first, `The id for the parameters ${parameters}`);
      }
      for (const escaped of ['\\"', "\\\\"]) ids.push(await idFor(`"${short}${escaped}, c"`));
      assert.equal(new Set(ids).size, ids.length, "The number of pets of different Idempotency-Keys");
    },
    async "refuses an invalid Idempotency-Key with 400, and creates no pet"(api) {
      await assertNoneAdded(api, async () => {
        for (const key of BAD_KEYS) {
          // `Headers` refuses what is beyond Latin-1, and trims white space.
          const expected = { status: 400, code: "invalid_idempotency_key" } as const;
          assertResponse(await api.post(REX, withKey(key)), expected, `the Idempotency-Key ${key}`);
        }
      });
    },
    async "ignores an Idempotency-Key on requests that create nothing"(api) {
      for (const key of ["a", "a b"]) assertStatus(await api.get("/pets", withKey(key)), 200, "GET with a key");
    },
  }),
  ...cases({ ...REMEMBERED, options: { idempotencyRetentionMs: 1 } }, {
    async "remembers an Idempotency-Key for the configured time"(api) {
      const ids = new Set<bigint>();
      // A millisecond passes between two of these requests sooner or later.
      const deadline = performance.now() + 10_000;
      while (ids.size < 3) {
        assert.ok(performance.now() < deadline, "A request is remembered for ten seconds instead of a millisecond");
        ids.add(petOf(await api.post(REX, withKey("a")), 201).id);
      }
      assert.equal([...ids], [1n, 2n, 3n], "The ids");
    },
  }),
];
