/** Headers on every response: X-Content-Type-Options, and none that reveals the software. */

import assert from "node:assert/strict";
import test from "node:test";
import { type Api, type ApiResponse, IN_PROCESS, withApi } from "../support/api.ts";
import { STORE_KINDS, withStore } from "../support/stores.ts";

/** Every kind of response: of each operation, kept or not, with and without a body, and of failures. */
async function askEverything(api: Api): Promise<{ good: ApiResponse[]; bad: ApiResponse[] }> {
  const created = await api.post({ name: "Rex", categoryId: 7 });
  await api.post({ name: "Luna", categoryId: 7 });
  const etag = (await api.get("/pets/1")).headers.get("etag") ?? "";
  const good = [created];
  // Twice, because the second is a kept response.
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
    test(`${kind.name} store${cors ? ", with CORS" : ""}: every response forbids sniffing, and none reveals the software`, () =>
      withStore(kind, (store) =>
        withApi(IN_PROCESS, { store, ...(cors && { cors }) }, async (api) => {
          const { good, bad } = await askEverything(api);
          for (const { status, headers } of [...good, ...bad]) {
            assert.equal(headers.get("x-content-type-options"), status === 304 ? null : "nosniff", `${status}`);
            assert.equal(headers.get("content-type"), status === 304 ? null : "application/json", `${status}`);
            for (const name of ["server", "x-powered-by", "set-cookie"]) assert.equal(headers.get(name), null, name);
          }
        })));
  }
}
