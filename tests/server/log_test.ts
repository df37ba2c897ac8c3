/** The lines of the log: what they show and what they hide. attribution_test.ts has which facts they are of. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createJsonLog, createTextLog } from "../../lib/server/telemetry/access_log.ts";
import { describeFailure } from "../../lib/server/telemetry/messages.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { runHere } from "../support/server/in_process.ts";

test("a line of JSON stays one object for any caller, target and request id", () => {
  const id = 'a","status":500,"\n\u2028\u0000', lines: string[] = [];
  const context = Object.assign(createContext({ "x-request-id": `"\n` }, "GET", `/v1/"}{\u2028\n?x`), {
    caller: { id },
  });
  createJsonLog({ add: (line) => lines.push(line) })(context, { status: 200, headers: {}, body: null }, 0, 0);
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines[0]!, /[\p{C}\u2028\u2029]/u);
  const { requestId, target, caller, status } = JSON.parse(lines[0]!);
  assert.match(requestId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual([target, caller, status], ["/v1/…?…", id, 200]);
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
    { numRuns: 1_000 },
  ));

test("a request has one short line of visible characters, whatever the client sends, and shows no hidden value", () => {
  const lines: string[] = [], secret = "pk_0123456789abcdef".repeat(3);
  const targets = [
    "/v1/" + "pets/7/".repeat(1_000),
    // A key that begins inside the part that is read and ends after it.
    "/" + "a/".repeat(95) + secret,
    "/v1/pets?" + "limit=1&".repeat(1_400) + "limit=" + secret,
    // Characters that control a terminal, or end a line.
    "/v1/\u009b31m\u0085\u2028\u202e 200 0.1ms",
  ];
  const log = createTextLog({ add: (line) => lines.push(line) });
  for (const target of targets) log(createContext({}, "GET", target), { status: 404, headers: {}, body: null }, 0, 0);
  assert.equal(lines.length, targets.length);
  for (const line of lines) assert.match(line, /^(?!.*pk_)\S+Z - GET [^\p{C}\p{Z}]{1,400} 404 0\.0ms$/u);
});

test("--log json makes an object of what fails before there is a log, and leaves the lines of other commands as they are", async () => {
  for (
    const [args, env] of [[["serve", "--nope", "--log", "json"], {}], [["--key="], { PETSTORE_LOG: "json" }]] as const
  ) {
    const { status, stderr } = await runHere(args, env);
    assert.equal(status, 2);
    const { time, message } = JSON.parse(stderr);
    assert.ok(time && !message.startsWith("petstore:"));
  }
  for (const args of [["--log=json", "--log=off", "--port=x"], ["check", "--store=memory:"]]) {
    assert.match((await runHere(args, { PETSTORE_LOG: "json" })).stderr, /^petstore: /);
  }
});
