/** A petstore in a Cloudflare Worker, run by workerd, which miniflare starts. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { bundle, stopBundler } from "./support/bundle.ts";
import { APP_KEY, APP_KEYS, LATE_REFUSAL, testMount, useMount } from "./support/mounts.ts";
import { testWorkers, Workers } from "./support/workerd.ts";

testWorkers("a Worker keeps the HTTP contract, and has a petstore beside its own route", async (context) => {
  const script = await bundle("workers/worker.ts");
  await stopBundler();
  const impatient = script.replace("basePath: BASE_PATH", "$&, bodyTimeoutMs: 50");
  assert.notEqual(impatient, script);
  await using workers = new Workers({ scripts: [script, impatient], bindings: { PETSTORE_KEYS: APP_KEYS } });
  const [origin = "", other = ""] = await workers.origins();
  await testMount(origin, { sometimes: [LATE_REFUSAL] });
  await context.test("a body that stalls gets 408 after the request before it has ended", async () => {
    await stallAfterAnother(`${other}/v1/pets`, () => fetch(`${other}/hello`));
  });
});

testWorkers(
  "a petstore that is the default export is a Worker",
  async () => {
    const scripts = [await bundle("../hosts/driver/default_export.ts")];
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

testWorkers(
  "the Workers of docs/hosts.md run with the oldest compatibility date that the page names",
  async (context) => {
    const page = await readFile(new URL("../../../docs/hosts.md", import.meta.url), "utf8");
    const [, compatibilityDate = ""] = /compatibility date of (\S+) or later/.exec(page) ?? [];
    for (const path of ["worker", "d1/worker", "object/worker"]) {
      await context.test(`${path} with ${compatibilityDate}`, async () => {
        const scripts = [await bundle(`workers/${path}.ts`)];
        await stopBundler();
        await using workers = new Workers({ scripts, bindings: { PETSTORE_KEYS: APP_KEYS }, compatibilityDate });
        const [origin] = await workers.origins();
        await useMount((path, init) => fetch(origin + path, init ?? {}));
      });
    }
  },
);

/** Workers end a timer with the request that set it, so no body may depend on another request's timer. */
async function stallAfterAnother(url: string, roundTrip: () => Promise<Response>): Promise<void> {
  const post = (body: ReadableStream) =>
    fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${APP_KEY}` },
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
