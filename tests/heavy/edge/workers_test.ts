/** A petstore in a Cloudflare Worker, run by workerd, which miniflare starts. */

import assert from "node:assert/strict";
import { HTTP_CONTRACT } from "../../support/contract/all.ts";
import { CASE_HEADER } from "../../support/by_case.ts";
import { KEY } from "../../support/api.ts";
import { lateRefusal } from "../../support/http/deviation.ts";
import { checkOddResponses, WORKERD_ODD } from "../../support/http/odd_requests.ts";
import { bundle, stopBundler } from "./support/bundle.ts";
import { APP_KEY, APP_KEYS, BASE_PATHS, type BasePath, testContract, useMount } from "./support/mounts.ts";
import { testWorkers, UNKNOWN_METHOD, Workers } from "./support/workerd.ts";

/** Starts a Worker for each base path; `use` gets their origins. */
async function withWorkers(petstore: string, use: (origins: Record<BasePath, string>) => Promise<void>): Promise<void> {
  const scripts: string[] = [];
  for (const basePath of BASE_PATHS) scripts.push(await bundle("workers/worker.ts", { basePath, petstore }));
  await stopBundler();
  await using workers = new Workers({ scripts, bindings: { PETSTORE_KEYS: APP_KEYS } });
  const origins = await workers.origins();
  const entries = BASE_PATHS.map((basePath, i) => [basePath, origins[i]] as const);
  await use(Object.fromEntries(entries) as Record<BasePath, string>);
}

testWorkers("a Worker keeps the HTTP contract", async (context) => {
  await withWorkers("support/contract_petstore.ts", async (origins) => {
    const deviations = [UNKNOWN_METHOD, lateRefusal("workerd closes the connection after its response")];
    await testContract(context, origins, { name: "workerd", deviations });
    await context.test("workerd: a body that stalls gets 408 after the request before it has ended", async () => {
      await stallAfterAnother(`${origins["/v1"]}/v1/pets`, () => fetch(`${origins["/v1"]}/hello`));
    });
    await context.test("workerd answers odd requests as docs/hosts.md says", () =>
      checkOddResponses(origins["/v1"], `Authorization: Bearer ${APP_KEY}\r\n`, WORKERD_ODD));
  });
});

testWorkers("a Worker has a petstore beside its own route", async (context) => {
  await withWorkers("../../../mod.ts", async (origins) => {
    for (const basePath of BASE_PATHS) {
      await context.test(`mounted at ${basePath || "the root"}`, async () => {
        await useMount(basePath, (path, init) => fetch(origins[basePath] + path, init ?? {}));
      });
    }
  });
});

testWorkers(
  "a petstore that is the default export is a Worker",
  async () => {
    const scripts = [await bundle("../hosts/driver/default_export.ts", { petstore: "../../../mod.ts" })];
    await stopBundler();
    await using workers = new Workers({ scripts });
    const [origin] = await workers.origins();
    for (const [key, status] of [["wrong", 401], ["pk_example", 200]] as const) {
      const response = await fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
      await response.text();
      assert.equal(response.status, status);
    }
  },
);

/** Workers end a timer with the request that set it, so no body may depend on another request's timer. */
async function stallAfterAnother(url: string, roundTrip: () => Promise<Response>): Promise<void> {
  const number = HTTP_CONTRACT.findIndex(({ name }) => name.startsWith("answers 408 to a body that stalls"));
  const post = (body: ReadableStream) =>
    fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, [CASE_HEADER]: `${number} after another` },
      body,
      signal: AbortSignal.timeout(5_000),
    });
  const begun = new TextEncoder().encode('{"name":');
  let finish = () => {};
  const first = post(
    new ReadableStream({
      start(controller) {
        controller.enqueue(begun);
        finish = () => controller.close();
      },
    }),
  );
  // An isolate starts requests in order: after this response, the first POST has begun.
  await (await roundTrip()).body?.cancel();
  const second = post(new ReadableStream({ start: (controller) => controller.enqueue(begun) }));
  await (await roundTrip()).body?.cancel();
  finish();
  assert.match(await (await first).text(), /invalid_json|request_timeout/);
  const response = await second;
  assert.deepEqual([response.status, (await response.json()).code], [408, "request_timeout"]);
}
