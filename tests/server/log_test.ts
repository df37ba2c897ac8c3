/**
 * The lines of the log: what they show and what they hide, of requests, of failures over time, and
 * of mistakes of clients. attribution_test.ts has which facts they are of.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { sleep } from "../../lib/promises.ts";
import { createAccessLog } from "../../lib/server/telemetry/access_log.ts";
import { createFailureLog } from "../../lib/server/telemetry/failure_log.ts";
import { createNotices } from "../../lib/server/telemetry/notices.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { runHere, withFreshServerHere } from "../support/server/in_process.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const NOT_FOUND = { status: 404, headers: {}, body: null };

/** The lines that a request and its failure have in each form of the log. */
function linesOf(method: string, target: string): string[] {
  const lines: string[] = [];
  const writer = { add: (line: string) => void lines.push(line) };
  const request = { method, url: `http://localhost${target}` } as Request;
  for (const isJson of [false, true]) {
    createAccessLog(writer, isJson)(createContext({}, method, target), NOT_FOUND, 0, 0);
    const failures = createFailureLog(writer, isJson);
    failures.add({ error: new StoreUnavailableError("away"), request, requestId: "id" });
    failures.close();
  }
  return lines;
}

test("a line of JSON stays one object for any caller, target and request id", () => {
  const id = 'a","status":500,"\n\u2028\u0000';
  const lines: string[] = [];
  const context = createContext({ "x-request-id": `"\n` }, "GET", `/v1/"}{\u2028\n?x`);
  createAccessLog({ add: (line) => lines.push(line) }, true)(
    { ...context, caller: { id }, client: '"' },
    NOT_FOUND,
    0,
    0,
  );
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines[0]!, /[\p{C}\u2028\u2029]/u);
  const { requestId, target, caller, status } = JSON.parse(lines[0]!);
  assert.match(requestId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual([target, caller, status], ["/v1/…?…", id, 404]);
});

/** Some of the characters divide a target. */
const ANY_KEY = fc.string({ unit: fc.constantFrom(..."abcXYZ019/_-+=.~%&?"), minLength: 12, maxLength: 60 });

/** How a client may write a key into a target, by mistake. */
const WRITE = {
  plain: (key: string) => key,
  slashes: (key: string) => key.replace(/(.{5})/g, "$1/"),
  parameters: (key: string) => key.replace(/(.{5})/g, "$1&limit="),
  encoded: encodeURIComponent,
  cursor: (key: string) => btoa(`after:${key}`).replaceAll("=", ""),
};
const BEFORE = ["/", "/v1/pets/", "/v1/pets/7", "/docs/", "/v1/pets?", "/v1/pets?limit=", "/v1/pets?cursor="]
  .flatMap((start) => [start, start + "a".repeat(190)]);

test("no eight characters of a key are in a line of a log, wherever a target or a method has them", () =>
  fc.assert(
    fc.property(ANY_KEY, fc.constantFrom(...BEFORE), fc.constantFrom(...Object.values(WRITE)), (key, before, write) => {
      const target = before + write(key);
      const lines = [...linesOf("GET", target), ...linesOf(key, "/v1/pets")];
      for (const secret of [key, write(key)]) {
        for (let i = 0; i + 8 <= secret.length; i++) {
          const piece = secret.slice(i, i + 8);
          // The id of a pet, a number, is shown; and what the test writes between pieces.
          if (/^\d+$/.test(piece) || piece.includes("=") || btoa("after:").startsWith(piece)) continue;
          assert.deepEqual(lines.filter((line) => line.includes(piece)), [], `${piece} of ${target}`);
        }
      }
    }),
    { numRuns: 1_000 },
  ));

test("a request has one short line of visible characters, whatever the client sends", () => {
  // The last one has characters that control a terminal, or end a line.
  for (
    const target of [`/v1/${"pets/7/".repeat(1_000)}`, `/v1/pets?${"limit=1&".repeat(1_400)}`, "/\u009b31m\u0085\u2028"]
  ) {
    assert.match(linesOf("GET", target)[0]!, /^\S+Z - GET [^\p{C}\p{Z}]{1,400} 404 0\.0ms$/u);
  }
});

test("--log json makes an object of what fails before there is a log, and leaves the lines of other commands as they are", async () => {
  const { status, stderr } = await runHere(["serve", "--nope", "--log", "json"]);
  assert.equal(status, 2);
  assert.doesNotMatch(JSON.parse(stderr).message, /^petstore:/);
  // An empty word is what an empty variable of a script leaves.
  for (const args of [["serve", "--log"], ["", "--nope"]]) {
    assert.ok(JSON.parse((await runHere(args, { PETSTORE_LOG: "json" })).stderr).message);
  }
  assert.match((await runHere(["check", "--store=memory:"], { PETSTORE_LOG: "json" })).stderr, /^petstore: /);
});

const request = new Request("http://localhost/v1/pets?limit=5");

test("what fails a thousand times in a second is told at once, and then with a count, and so is what fails later", () =>
  withVirtualClock(async ({ pending }) => {
    const lines: string[] = [];
    const log = createFailureLog({ add: (line) => lines.push(line.slice(line.indexOf(" ") + 1)) }, false);
    const fail = (requestId: string, message: string) =>
      log.add({ error: new StoreUnavailableError(message), requestId, request });
    const atOnce = [
      "id-0 GET /v1/pets?limit=5 failed: PostgreSQL has not answered within 4000 ms",
      "many GET /v1/pets?limit=5 failed: Too many queries wait",
    ];
    const later = "id-999 GET /v1/pets?limit=5 failed: PostgreSQL has not answered within 4999 ms (999 times)";
    for (let round = 0; round < 2; round++) {
      lines.length = 0;
      for (let i = 0; i < 1_000; i++) fail(`id-${i}`, `PostgreSQL has not answered within ${4_000 + i} ms`);
      fail("many", "Too many queries wait");
      assert.deepEqual(lines, atOnce);
      await sleep(1_100);
      assert.deepEqual(lines, [...atOnce, later]);
      // No timer runs when nothing fails.
      assert.equal(pending(), 0);
    }
    // What is not told yet when the server ends is told then.
    for (const id of ["a", "b", "c"]) fail(id, "broken");
    log.close();
    assert.match(lines.at(-1)!, /^c .* broken \(2 times\)$/);
    assert.equal(pending(), 0);
  }));

const KEY = "pk_test";

test("a refused preflight is told once for each origin, and an unknown parameter of a list once, to callers with a key alone", () => {
  const args = ["--store=memory:", `--key=${KEY}`, "--cors-origin=https://one.example"];
  return withFreshServerHere({ args }, async (server) => {
    // The description names no preflight of an origin that is not permitted, so its responses are not compared with it.
    const send = async (init: RequestInit) => void await (await fetch(`${server.origin}/v1/pets`, init)).body?.cancel();
    for (const origin of ["https://one.example", "https://two.example", "https://two.example", "null"]) {
      await send({ method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
    }
    await send({ headers: { origin: "https://four.example", authorization: `Bearer ${KEY}` } });
    await server.ask("/v1/pets?wrong_key=1", "pk_other");
    const hidden = `/v1/pets?${KEY}1234567890&petstore_nKrDE4KS8rI6jD2a6ZhUQ5G5FIqw9K3gXuTI&limit`;
    const targets = [...Array(4).fill("/v1/pets?staus=sold&limit=2&%73tatus=sold"), hidden, "/docs?theme=dark"];
    for (const target of targets) await server.ask(target, KEY);
    assert.equal(await server.stop(), 0);
    assert.deepEqual(server.written.stderr.trimEnd().split("\n"), [
      'petstore: a page of "https://two.example" may not use the API; --cors-origin "https://two.example" would permit it',
      'petstore: a page of "null" may not use the API; --cors-origin "*" would permit it',
      "petstore: /v1/pets has no parameter staus, so it was ignored; it has limit, status, cursor",
    ]);
  });
});

test("a client gets no more than twenty notices an hour into the log, short ones of visible characters, and hides no other kind", () => {
  const lines: string[] = [];
  const observe = createNotices((line) => lines.push(line));
  const ask = (origin: string, now: number) => {
    const context = createContext({ origin, "access-control-request-method": "GET" }, "OPTIONS");
    observe(context, { status: 204, headers: {}, body: null }, now, now);
  };
  for (let i = 0; i < 100; i++) ask(`https://${i}\u0085${"x".repeat(5_000)}`, i);
  assert.equal(lines.length, 21);
  assert.equal(lines.at(-1), "further origins that are refused are not told for an hour");
  for (const line of lines) assert.match(line, /^\P{Cc}{1,600}$/u);
  const list = { ...createContext({}, "GET", "/v1/pets?staus=sold"), caller: { id: "a" }, route: "/v1/pets" };
  observe(list, { status: 200, headers: {}, body: "[]" }, 100, 100);
  assert.match(lines.at(-1)!, /^\/v1\/pets has no parameter staus/);
  ask("https://app.example", 3_600_000);
  assert.equal(lines.length, 22);
  ask("https://app.example", 3_600_100);
  assert.match(lines.at(-1)!, /^a page of "https:\/\/app.example" may not use the API/);
});
