import type { ApiResponse, RequestParts } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase } from "./case.ts";
import { addedBy, addPets } from "./catalogue.ts";
import { ODD_CATEGORY, petOf } from "./exact.ts";

export const REX = { name: "Rex", categoryId: 7, status: "sold" };

const ONCE = addition("pets.create.idempotency", "A create that is repeated with its Idempotency-Key makes one pet");
const FORM = addition(
  "pets.create.idempotency",
  "An Idempotency-Key is 1 to 255 visible ASCII characters without quote, backslash and comma, or a string of RFC 9651",
);
const REMEMBERED = { ...ONCE, needs: ["createOnce"], dependsOn: ["store"] } as const;

export function withKey(key: string, parts: RequestParts = {}): RequestParts {
  return { ...parts, headers: { "idempotency-key": key } };
}

const BAD_KEYS = [
  "",
  " ",
  '""',
  '"',
  '"a',
  'a"',
  '"a"b',
  '"a";',
  '"a" ;p=1',
  '"a";P=1',
  '"a";p=',
  '"a";p="x',
  '"a";p=1, "b"',
  '"a";p=1.2345',
  '"\\a"',
  '"a\\"',
  "a b",
  "a,b",
  '"a", "b"',
  "é",
  "a\\b",
];

/** Parameters that may follow the string of a structured field, and are ignored. */
const PARAMETERS = [";v=1", "; v=-1.525;w", ';v="a;b\\"c"', ";v=to/ken;*x=?1", ';v=:YQ==:;w=@1659578233;x=%"f%c3%bc"'];

/** Makes a key that no earlier run has used, without the characters that quoting changes. */
function newKey(): string {
  return crypto.randomUUID();
}

/** The cases of Idempotency-Key. All but the last need a store with `createOnce()`. */
export const IDEMPOTENCY_CASES: readonly HttpCase[] = [
  ...cases(REMEMBERED, {
    async "answers a repeated create with the first response, and creates no second pet"(api) {
      const parts = withKey(`"${newKey()}"`);
      const bodies = [REX, JSON.stringify(REX, null, 2), { status: "sold", categoryId: 7.0, name: "Rex", id: 99 }, REX];
      const shown = ({ status, text, headers }: ApiResponse, replayed: string | null) => {
        assert.equal(headers.get("idempotency-replayed"), replayed, "The field Idempotency-Replayed");
        return [status, text, headers.get("location")];
      };
      let id = 0n;
      const added = await addedBy(api, async () => {
        const first = await api.post(REX, parts);
        id = petOf(first, 201).id;
        for (const body of bodies) {
          const again = shown(await api.post(body, parts), "true");
          assert.deepEqual(again, shown(first, null), "The status, the body and the Location of a repeated create");
        }
      });
      assert.deepEqual(added, [id], "The ids of the pets that were added by one create and its repetitions");
      await addPets(api, Array(12).fill("sold"));
      assert.equal(petOf(await api.post(REX, parts), 201).id, id, "The id of a create that is repeated after others");
    },
    async "refuses an Idempotency-Key that was used for another pet with 422"(api) {
      const parts = withKey(newKey());
      await api.post(REX, parts);
      const added = await addedBy(api, async () => {
        for (const other of [{ ...REX, name: "Bo" }, { ...REX, categoryId: 8 }, { ...REX, status: "pending" }]) {
          const expected = { status: 422, code: "idempotency_key_reused", message: /Idempotency-Key/ } as const;
          assertResponse(await api.post(other, parts), expected);
        }
      });
      assert.deepEqual(added, [], "The ids of pets that were refused, and stored all the same");
    },
    async "does not remember a request that failed"(api) {
      const parts = withKey(newKey());
      for (const body of ["{", { name: "", categoryId: ODD_CATEGORY }]) {
        assertStatus(await api.post(body, parts), 400);
      }
      const { status, headers } = await api.post(REX, parts);
      assert.deepEqual(
        [status, headers.get("idempotency-replayed")],
        [201, null],
        "The status and Idempotency-Replayed of a create whose key was sent with a wrong pet before",
      );
    },
  }),
  ...cases({ ...FORM, needs: ["createOnce"] }, {
    async "takes an Idempotency-Key bare or quoted, of up to 255 characters, as one and the same"(api) {
      const idFor = async (key: string) => petOf(await api.post(REX, withKey(key)), 201).id;
      const short = newKey();
      const ids = new Set<bigint>();
      for (const key of [short, newKey().padEnd(255, "x"), `${newKey()};/=+`]) {
        const id = await idFor(key);
        assert.equal(await idFor(`"${key}"`), id, "The id for an Idempotency-Key that is quoted now");
        ids.add(id);
      }
      const [first] = ids;
      for (const parameters of PARAMETERS) {
        assert.equal(await idFor(`"${short}"${parameters}`), first, `The id for the parameters ${parameters}`);
      }
      for (const escaped of ['\\"', "\\\\"]) ids.add(await idFor(`"${short}${escaped}, c"`));
      assert.equal(ids.size, 5, "The number of pets of five Idempotency-Keys");
    },
    async "refuses an invalid Idempotency-Key with 400, and creates no pet"(api) {
      const added = await addedBy(api, async () => {
        for (const key of [...BAD_KEYS, "x".repeat(256), `"${"x".repeat(256)}"`]) {
          // `Headers` refuses some of these keys. The petstore must refuse the others.
          let parts;
          try {
            parts = withKey(key);
            new Headers(parts.headers as Record<string, string>);
          } catch {
            continue;
          }
          const expected = {
            status: 400,
            code: "invalid_idempotency_key",
            message: /Idempotency-Key .* 255 /,
          } as const;
          assertResponse(await api.post(REX, parts), expected, key);
        }
      });
      assert.deepEqual(added, [], "The ids of pets that were refused, and stored all the same");
    },
    async "ignores an Idempotency-Key on requests that create nothing"(api) {
      for (const key of ["a", "a b"]) assertStatus(await api.get("/pets", withKey(key)), 200);
    },
  }),
  ...cases({ ...REMEMBERED, options: { idempotencyRetentionMs: 1 } }, {
    async "remembers an Idempotency-Key for the configured time"(api) {
      const ids = new Set<number>();
      // A millisecond passes between two of these requests sooner or later.
      const deadline = performance.now() + 10_000;
      while (ids.size < 3) {
        assert.ok(performance.now() < deadline, "A request is remembered for ten seconds instead of a millisecond");
        const { status, text, pet } = await api.post(REX, withKey("a"));
        assert.equal(status, 201, text);
        ids.add(pet.id);
      }
      assert.deepEqual([...ids], [1, 2, 3], "The ids");
    },
  }),
];
