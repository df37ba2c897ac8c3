/** A petstore in a Cloudflare Worker, run by workerd, which miniflare starts. */

import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { HTTP_CONTRACT } from "../../lib/testing/http/all.ts";
import { CASE_HEADER } from "../support/by_case.ts";
import { KEY } from "../support/api.ts";
import { bundle, stopBundler } from "./support/bundle.ts";
import { BASE_PATHS, type BasePath, CLOSED_EARLY, testContract } from "./support/contract.ts";
import { APP_KEYS, useMount } from "./support/mounts.ts";
import { COMPATIBILITY_DATE, testWorkers, UNKNOWN_METHOD } from "./support/workerd.ts";

/** Like Cloudflare, miniflare compresses JSON for a client that accepts it; it sets the header even without a body. */
function strip({ status, headers, body }: Response): Response {
  const own = new Headers(headers);
  assert.equal(own.get("content-encoding"), "gzip");
  own.delete("content-encoding");
  return new Response(body, { status, headers: own });
}

/** Starts a Worker for each base path; `use` gets their origins. */
async function withWorkers(petstore: string, use: (origins: Record<BasePath, string>) => Promise<void>): Promise<void> {
  const origins: [BasePath, string][] = [];
  const running: Miniflare[] = [];
  try {
    for (const basePath of BASE_PATHS) {
      const worker = new Miniflare({
        modules: true,
        script: await bundle("workers/worker.ts", { basePath, petstore }),
        bindings: { PETSTORE_KEYS: APP_KEYS },
        compatibilityDate: COMPATIBILITY_DATE,
        host: "127.0.0.1",
        port: 0,
        cf: false,
      });
      running.push(worker);
      origins.push([basePath, (await worker.ready).origin]);
    }
    await use(Object.fromEntries(origins) as Record<BasePath, string>);
  } finally {
    for (const worker of running) await worker.dispose();
    await stopBundler();
  }
}

testWorkers("a Worker keeps the HTTP contract", async (context) => {
  await withWorkers("support/contract_petstore.ts", async (origins) => {
    await testContract(context, { name: "workerd", origins, strip, deviations: [UNKNOWN_METHOD], cut: CLOSED_EARLY });
    await context.test("workerd: a body that stalls gets 408 after the request before it has ended", async () => {
      await stallAfterAnother(`${origins["/v1"]}/v1/pets`, () => fetch(`${origins["/v1"]}/hello`));
    });
  });
});

testWorkers("a Worker has a petstore beside its own route", async (context) => {
  await withWorkers("../../mod.ts", async (origins) => {
    for (const basePath of BASE_PATHS) {
      await context.test(`mounted at ${basePath || "the root"}`, async () => {
        await useMount(basePath, (path, init) => fetch(origins[basePath] + path, init ?? {}));
      });
    }
  });
});

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
