import assert from "node:assert/strict";
import type { Api, RequestBody } from "./api.ts";
import { caseWith, type HttpCase, httpCase } from "./case.ts";

const PET = '{"name":"Rex","categoryId":7}';

function stream(...pieces: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
}

function stalled(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"name":')) });
}

function postAs(api: Api, type: string, body: RequestBody = PET) {
  return api.send("POST", "/pets", { headers: { "content-type": type }, body });
}

export const BODY_CASES: HttpCase[] = [
  httpCase(
    "takes application/json in any case, with or without parameters, and no Content-Type at all",
    async (api) => {
      const types = [
        "application/json",
        "APPLICATION/JSON",
        "Application/Json;charset=utf-8",
        'application/json ; a="b"',
      ];
      for (const type of types) assert.equal((await postAs(api, type)).status, 201, type);
      const untyped = new TextEncoder().encode(PET);
      assert.equal((await api.send("POST", "/pets", { body: untyped })).status, 201);
      assert.equal((await api.send("POST", "/pets", { body: stream(PET) })).status, 201);
    },
  ),
  httpCase("answers 415 to every other media type, and to an encoded body", async (api) => {
    const types = [
      ...["text/plain", "application/jsonp", "application/json2", "text/json", "application/x-www-form-urlencoded"],
      ...["application/vnd.api+json", ";", "json"],
    ];
    for (const type of types) {
      const { status, headers, error } = await postAs(api, type);
      assert.deepEqual([status, error.code, headers.get("accept-post")], [
        415,
        "unsupported_media_type",
        "application/json",
      ], type);
    }
    const gzip = { "content-type": "application/json", "content-encoding": "gzip" };
    const encoded = await api.send("POST", "/pets", { headers: gzip, body: PET });
    assert.deepEqual([encoded.status, encoded.headers.get("accept-encoding")], [415, "identity"]);
    assert.equal((await postAs(api, "text/plain")).headers.get("accept-encoding"), null);
  }),
  httpCase("answers 400 to an empty body", async (api) => {
    for (const body of ["", stream(), undefined]) {
      const parts = body === undefined ? {} : { headers: { "content-type": "application/json" }, body };
      const { status, error } = await api.send("POST", "/pets", parts);
      assert.deepEqual([status, error.code], [400, "invalid_json"]);
    }
  }),
  httpCase("reads a body that comes in pieces, even within a character", async (api) => {
    assert.equal((await api.send("POST", "/pets", { body: stream(...PET) })).status, 201);
    const bytes = new TextEncoder().encode('{"name":"😀","categoryId":9007199254740993}');
    let i = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => i < bytes.length ? controller.enqueue(bytes.slice(i, ++i)) : controller.close(),
    });
    const { text } = await api.send("POST", "/pets", { body });
    assert.equal(text, '{"id":2,"name":"😀","categoryId":9007199254740993,"status":"available"}');
  }),
  caseWith(
    { maxBodyBytes: 100 },
    "takes a body of exactly the limit, and answers 413 to one byte more",
    async (api) => {
      assert.equal((await api.post(PET.padEnd(100))).status, 201);
      assert.equal((await api.send("POST", "/pets", { body: stream(PET, " ".repeat(100 - PET.length)) })).status, 201);
      for (const body of [PET.padEnd(101), stream(PET.padEnd(101)), stream(PET.padEnd(100), " ")]) {
        const { status, error } = await api.send("POST", "/pets", {
          headers: { "content-type": "application/json" },
          body,
        });
        assert.deepEqual([status, error.code], [413, "body_too_large"]);
      }
      assert.equal((await api.get("/pets")).pets.length, 2);
    },
  ),
  httpCase("answers 413 to 3 MiB, and takes 1 MiB", async (api) => {
    assert.equal((await api.post(PET.padEnd(1_048_576))).status, 201);
    for (const body of [PET.padEnd(3_145_728), stream(...Array(48).fill(" ".repeat(65_536)))]) {
      assert.equal(
        (await api.send("POST", "/pets", { headers: { "content-type": "application/json" }, body })).status,
        413,
      );
    }
    assert.equal((await api.get("/pets")).pets.length, 1);
  }),
  caseWith({ bodyTimeoutMs: 50 }, "answers 408 to a body that stalls, and stores nothing", async (api) => {
    const { status, error } = await api.send("POST", "/pets", { body: stalled() });
    assert.deepEqual([status, error.code], [408, "request_timeout"]);
    assert.equal((await api.get("/pets")).text, "[]");
  }),
];
