/** The lines of the log: what they show and what they hide. attribution_test.ts has which facts they are of. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAccessLog } from "../../lib/server/telemetry/access_log.ts";
import { createFailureLog } from "../../lib/server/telemetry/failure_log.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { runHere } from "../support/server/in_process.ts";

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
  const id = 'a","status":500,"\n\u2028\u0000', lines: string[] = [];
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
const KEY = fc.string({ unit: fc.constantFrom(..."abcXYZ019/_-+=.~%&?"), minLength: 12, maxLength: 60 });

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
    fc.property(KEY, fc.constantFrom(...BEFORE), fc.constantFrom(...Object.values(WRITE)), (key, before, write) => {
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
  assert.match((await runHere(["check", "--store=memory:"], { PETSTORE_LOG: "json" })).stderr, /^petstore: /);
});
