/** The headers that keep a browser, or a cache on the way, from making more of an answer than it is. */

import assert from "node:assert/strict";
import test from "node:test";
import { type Api, type ApiAnswer, IN_PROCESS, withApi } from "./support/api.ts";
import { STORE_KINDS } from "./support/stores.ts";

const POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Every kind of answer: of each operation, kept or not, with and without a body, and of what goes wrong. */
async function askEverything(api: Api): Promise<{ good: ApiAnswer[]; bad: ApiAnswer[] }> {
  const created = await api.post({ name: "Rex", categoryId: 7 });
  await api.post({ name: "Luna", categoryId: 7 });
  const etag = (await api.get("/pets/1")).headers.get("etag") ?? "";
  const good = [created];
  // Twice, since the second comes from the answers that are kept.
  for (const path of ["/pets", "/pets", "/pets?limit=1", "/pets?status=sold", "/pets/1", "/pets/1"]) {
    good.push(await api.get(path), await api.send("HEAD", path));
  }
  good.push(await api.get("/pets/1", { headers: { "if-none-match": etag } }));
  const bad = [
    ...await Promise.all(
      ["/pets?limit=0", "/pets/99", "/pets/x", "/nowhere", "/store/orders"].map((path) => api.get(path)),
    ),
    ...await Promise.all(["", "{", "{}"].map((body) => api.post(body))),
    await api.post("{}", { headers: { "content-type": "text/plain" } }),
    await api.send("PUT", "/pets"),
    await api.get("/pets", { key: null }),
    await api.get("/pets", { key: "wrong" }),
    await api.send("HEAD", "/pets", { key: null }),
  ];
  assert.deepEqual(new Set(good.map(({ status }) => status)), new Set([200, 201, 304]));
  assert.ok(bad.every(({ status }) => status >= 400));
  return { good, bad };
}

for (const kind of STORE_KINDS) {
  for (const cors of [undefined, { origins: ["*"] }]) {
    test(`${kind.name} store${cors ? ", with CORS" : ""}: no answer is sniffed, framed, run or kept by others`, () =>
      kind.use((store) =>
        withApi(IN_PROCESS, { store, ...(cors && { cors }) }, async (api) => {
          const { good, bad } = await askEverything(api);
          for (const { status, headers } of [...good, ...bad]) {
            assert.equal(headers.get("x-content-type-options"), "nosniff", `${status}`);
            assert.equal(headers.get("content-security-policy"), POLICY, `${status}`);
          }
          // What a key was needed for is nobody else's, and asked for again each time; a failure is not kept at all.
          for (const { status, headers } of good) {
            assert.equal(headers.get("cache-control"), "private, no-cache", `${status}`);
          }
          for (const { status, headers } of bad) {
            assert.equal(headers.get("cache-control"), "no-store", `${status}`);
          }
        })
      ));
  }
}
