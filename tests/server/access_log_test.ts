/** The lines of the access log, and what it remembers to make them fast. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RequestContext } from "../../lib/http/context.ts";
import { createJsonLog, createTextLog } from "../../lib/server/telemetry/access_log.ts";
import { loggedTarget } from "../../lib/server/telemetry/logged_target.ts";
import { describeFailure } from "../../lib/server/telemetry/messages.ts";
import { formatCursor } from "../../lib/operations/paging.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { createWriters } from "../../lib/server/process/writers.ts";

/** Logs requests, and returns their lines without the time and the duration. */
function linesOf(requests: [client: string, method: string, target: string, status: number][]): string[] {
  const lines: string[] = [];
  const log = createTextLog({ add: (line) => lines.push(line) });
  for (const [client, method, target, status] of requests) {
    log(
      { ...createContext({}, method, target), client },
      { status, headers: {}, body: null },
      performance.now(),
      performance.now(),
    );
  }
  return lines.map((line) => {
    assert.match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /);
    assert.match(line, / \d+\.\dms$/);
    return line.slice(25, line.lastIndexOf(" "));
  });
}

test("a target that comes again gets the client, the method and the status of each request, and never shows a key", () => {
  const secret = "pk_0123456789abcdef012345";
  const many = Array.from({ length: 3000 }, (_, i) => ["::1", "GET", `/v1/pets?key=${secret}${i % 2 ? i : ""}`, 200]);
  const requests = [
    ["10.0.0.1", "GET", "/v1/pets", 200],
    ["10.0.0.1", "GET", "/v1/pets", 200],
    ["10.0.0.2", "POST", "/v1/pets", 201],
    ...many,
    ["10.0.0.1", "GET", "/v1/pets", 200],
  ] as Parameters<typeof linesOf>[0];
  assert.deepEqual(linesOf(requests), requests.map((request) => request.join(" ").replace(/\?key=\S+/, "?…")));
});

test("the log keeps neither a long URL nor many short ones alive", async () => {
  // 150 URLs of 200 KB, and 120,000 short ones, are each more than the heap of this process may have.
  const code = `
    const { createTextLog } = await import(${
    JSON.stringify(import.meta.resolve("../../lib/server/telemetry/access_log.ts"))
  });
    const log = createTextLog({ add: () => {} });
    const send = (host, i) => {
      const url = "http://" + host + "/v1/pets/" + i;
      const target = url.slice(url.indexOf("/", 7));
      log({ client: "::1", method: "GET", target, targetKey: url }, { status: 400 }, 0, i);
    };
    for (let i = 0; i < 150; i++) send("a".repeat(200_000) + i, i);
    for (let i = 0; i < 120_000; i++) send("localhost", i);
    console.log("done");`;
  const args = ["eval", "--v8-flags=--max-old-space-size=16", code];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.equal(new TextDecoder().decode(stdout), "done\n", new TextDecoder().decode(stderr).slice(0, 500));
});

/** Logs one response as JSON. */
function objectOf(exchange: Partial<RequestContext>, headers: Record<string, string>, body: string | null): unknown {
  const lines: string[] = [];
  const log = createJsonLog({ add: (line) => lines.push(line) });
  log(
    Object.assign(createContext(headers), exchange),
    { status: 200, headers: {}, body },
    performance.now(),
    performance.now(),
  );
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines[0]!, /[\p{C}\u2028\u2029]/u);
  return JSON.parse(lines[0]!, (name, value) => ["time", "durationMs"].includes(name) ? typeof value : value);
}

test("a line of JSON shows no key in a target, and stays one object for any caller, target and request id", () => {
  const secret = "pk_0123456789abcdef012345";
  const target = `/v1/"}{\u2028\n?key=${secret}`;
  const id = 'a","status":500,"\n\u2028\u0000';
  const line = objectOf({ target, targetKey: target, caller: { id } }, { "x-request-id": `"${secret}\n` }, null);
  const { requestId, target: shown, caller, status } = line as Record<string, unknown>;
  assert.match(String(requestId), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual([shown, caller, status], ["/v1/…?…", id, 200]);
});

test("lines that come together are written together, in order, without a flush, and flush() waits for the last", async () => {
  const writes: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const { output: writer } = createWriters(() => async (text) => {
    writes.push(text);
    if (writes.length === 1) writer.add("d");
    else resolve();
    await undefined;
  });
  for (const line of ["a", "b", "c"]) writer.add(line);
  await promise;
  assert.deepEqual(writes, ["a\nb\nc\n", "d\n"]);
  writer.add("e");
  const flushed = writer.flush();
  writer.add("f");
  await flushed;
  assert.equal(writes.join(""), "a\nb\nc\nd\ne\nf\n");
});

/** Some of them divide a target. */
const KEY = fc.string({ unit: fc.constantFrom(..."abcXYZ019/_-+=.~%&?"), minLength: 12, maxLength: 60 });
const WRITE = {
  plain: (key: string) => key,
  slashes: (key: string) => key.replace(/(.{5})/g, "$1/"),
  parameters: (key: string) => key.replace(/(.{5})/g, "$1&limit="),
  encoded: encodeURIComponent,
  cursor: (key: string) => btoa(`after:${key}`).replaceAll("=", ""),
};
const BEFORE = ["/", "/v1/", "/v1/pets/", "/v1/pets/7/", "/v1/pets/7", "/docs/", "/v1/pets?", "/v1/pets?limit=5&"]
  .flatMap((start) =>
    ["", "limit=", "status=", "cursor=", "writes=", "status=sold", "a".repeat(190)].map((more) => start + more)
  );

test("no eight characters of a key are in a line of a log, wherever a target or a method has them", () =>
  fc.assert(
    fc.property(KEY, fc.constantFrom(...BEFORE), fc.constantFrom(...Object.values(WRITE)), (key, before, write) => {
      const target = before + write(key), lines: string[] = [];
      const writer = { add: (line: string) => void lines.push(line) };
      const requests = [["GET", target], [key, "/v1/pets"]] as const;
      for (const [method, target] of requests) {
        for (const log of [createTextLog(writer), createJsonLog(writer)]) {
          log(createContext({}, method, target), { status: 404, headers: {}, body: null }, 0, 0);
        }
        const request = { method, url: `http://localhost${target}` } as Request;
        const failure = { error: new StoreUnavailableError("away"), request, requestId: "id" };
        lines.push(describeFailure(failure, false), describeFailure(failure, true));
      }
      for (const secret of [key, write(key)]) {
        for (let i = 0; i + 8 <= secret.length; i++) {
          const piece = secret.slice(i, i + 8);
          // The id of a pet, a number, is shown; and what the test writes between pieces.
          if (/^\d+$/.test(piece) || piece.includes("=") || btoa("after:").startsWith(piece)) continue;
          assert.deepEqual(lines.filter((line) => line.includes(piece)), [], `${piece} of ${target}`);
        }
      }
    }),
    { numRuns: 3_000 },
  ));

test("targets that the service knows are shown whole", () => {
  const cursor = formatCursor(7n);
  const known = [
    "/v1/pets",
    "/v1/pets/9223372036854775807",
    "/v1/store/orders",
    "/livez",
    "/readyz?writes",
    "/docs",
    "/",
  ];
  for (
    const target of [...known, `/v1/pets?limit=100&status=sold&cursor=${cursor}`, "/openapi.json", "/v1/pets?limit=1"]
  ) {
    assert.equal(loggedTarget(target), target);
  }
  assert.equal(loggedTarget("/v1/%70ets?limit=101&status=lost&x", "/v1/pets"), "/v1/pets?limit=…&status=…&…");
  assert.equal(loggedTarget("/v1/pets/x", "/v1/pets/{petId}"), "/v1/pets/…");
});
