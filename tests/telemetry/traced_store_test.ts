/** A store with spans, made by OpenTelemetry's own SDK. It must keep the contract of the store below it. */

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import assert from "node:assert/strict";
import { test } from "node:test";
import { isPromise } from "../../lib/maybe_promise.ts";
import { traceStore } from "../../lib/server/telemetry/traced_store.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { createMemoryStore } from "../../mod.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { draft, request } from "../../lib/testing/store/case.ts";
import { storeCases } from "../../lib/testing/testing.ts";

const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("test");

function traced(store: PetStore, setting: string): PetStore {
  return traceStore(store, setting, {
    tracer,
    activeSpan: () => tracer.startSpan("request"),
    startRequest: () => tracer.startSpan("request"),
    withSpan: (_, work) => work(),
  });
}

const STORES: Record<string, () => PetStore> = {
  "memory:": createMemoryStore,
  "sqlite::memory:": () => createSqliteStore(":memory:"),
};

for (const [setting, open] of Object.entries(STORES)) {
  for (const { name, skip, run } of await storeCases({ open: () => traced(open(), setting), sharing: "none" })) {
    // Other tests run the cases about restarts and several servers.
    if (!skip) test(`a ${setting} store with spans ${name}`, run);
  }

  test(`a ${setting} store with spans gives what is ready without a promise`, async () => {
    const store = open(), withSpans = traced(store, setting);
    const results = [
      ...[withSpans.get(1n), withSpans.list({ after: 0n, limit: 5 }), withSpans.check()],
      ...[store.get(1n), store.list({ after: 0n, limit: 5 }), store.check()],
    ].map((result) => isPromise<unknown>(result));
    assert.deepEqual(results.slice(0, 3), results.slice(3));
    await withSpans.close();
  });
}

test("each operation has a span that ends, and is named as the conventions for databases have it", async () => {
  exporter.reset();
  const store = traced(createMemoryStore(), "postgres://user:secret@host/pets");
  await store.create(draft());
  await store.createOnce?.(draft(), request("k"));
  await store.get(1n);
  await store.list({ after: 0n, limit: 5 });
  await store.check();
  await store.checkWrites?.();
  store.changes?.();
  await store.close();
  const spans = exporter.getFinishedSpans();
  const CLIENT = 2;
  assert.deepEqual(
    spans.map(({ name, kind, attributes }) => [name, kind, attributes]),
    ["create", "createOnce", "get", "list", "check"].map((operation) => [`${operation} pets`, CLIENT, {
      "db.system.name": "postgresql",
      "db.operation.name": operation,
      "db.collection.name": "pets",
    }]),
  );
});
