/** The lines of the access log, what it keeps in memory, and how they are written. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createJsonLog, createTextLog } from "../../lib/server/telemetry/access_log.ts";
import { loggedTarget } from "../../lib/server/telemetry/logged_target.ts";
import { describeFailure } from "../../lib/server/telemetry/messages.ts";
import { formatCursor } from "../../lib/operations/paging.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { createWriters } from "../../lib/server/process/writers.ts";

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

test("a line of JSON shows no key in a target, and stays one object for any caller, target and request id", () => {
  const secret = "pk_0123456789abcdef012345";
  const target = `/v1/"}{\u2028\n?key=${secret}`;
  const id = 'a","status":500,"\n\u2028\u0000';
  const lines: string[] = [];
  const context = Object.assign(createContext({ "x-request-id": `"${secret}\n` }, "GET", target), { caller: { id } });
  createJsonLog({ add: (line) => lines.push(line) })(context, { status: 200, headers: {}, body: null }, 0, 0);
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines[0]!, /[\p{C}\u2028\u2029]/u);
  const { requestId, target: shown, caller, status } = JSON.parse(lines[0]!);
  assert.match(String(requestId), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual([shown, caller, status], ["/v1/…?…", id, 200]);
});

test("lines that come together are written together, in order, without a flush, and flush() waits for the last", async () => {
  const writes: string[] = [], more = Array.from({ length: 2_000 }, (_, i) => `${i} é😀${"€".repeat(20)}`);
  const { promise, resolve } = Promise.withResolvers<void>();
  const { output: writer } = createWriters(() => async (bytes) => {
    if (writes.length === 0) { for (const line of more) writer.add(line); }
    // What is added during a write leaves its bytes alone.
    await undefined;
    if (writes.push(new TextDecoder().decode(bytes)) === 2) resolve();
  });
  for (const line of ["a", "b", "c"]) writer.add(line);
  await promise;
  assert.deepEqual(writes, ["a\nb\nc\n", `${more.join("\n")}\n`]);
  writer.add("e");
  const flushed = writer.flush();
  writer.add("f");
  await flushed;
  assert.equal(writes.slice(2).join(""), "e\nf\n");
});

test("lines that are dropped for a slow reader are counted", async () => {
  const written: string[] = [], first = Promise.withResolvers<void>();
  const { output } = createWriters(() => async (bytes) => {
    if (written.push(new TextDecoder().decode(bytes)) === 1) await first.promise;
  });
  output.add("first");
  void output.flush();
  await new Promise((resolve) => setTimeout(resolve));
  for (const line of ["x".repeat(1_048_577), "a", "b"]) output.add(line);
  first.resolve();
  await output.flush();
  assert.match(written[1] ?? "", /x\n2 lines were dropped because the reader was too slow\n$/);
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
