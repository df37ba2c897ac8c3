/** The pauses of garbage collection, read from a log. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readPauses } from "./gc_pauses.ts";

const ACCESS = '2026-11-26T08:12:14.685Z INFO GET /v1/pets/1 200 1 ms id="a"\n';

test("pauses are added up by isolate and kind, where a line of the access log stands in one of V8's, too", () => {
  const log =
    `${ACCESS}[7:0xb]  283 ms: Scavenge 4.0 (4.8) -> 3.4 (5.2) MB, pooled: 0.0 MB, 1.50 / 0.00 ms (average mu = 1
[7:0xa]  290 ms: Scavenge 4.0 (4.8) -> 3.4 (5.2) MB, poo${ACCESS}${ACCESS}led: 0.0 MB, 2.00 / 0.00 ms (average mu = 1.000
[7:0xb]  300 ms: Scavenge 4.0 (4.8) -> 3.4 (5.2) MB, pooled: 0.0 MB, 3.00 / 0.00 ms (average mu = 1.000)
[7:0xb]  400 ms: Incremental Mark-Compact (reduce) 37.3 (45.9) -> 4.1 (14.6) MB, pooled: 16.8 MB, 7.00 / 0.00 ms (+ 1.6 ms in 16 steps since start of marking, biggest step 1.0 ms, walltime since start of marking 101 ms)
`;
  assert.deepEqual(readPauses(log), [
    { isolate: "0xa", kind: "Scavenge", count: 1, sum: 2, longest: 2 },
    { isolate: "0xb", kind: "Scavenge", count: 2, sum: 4.5, longest: 3 },
    { isolate: "0xb", kind: "Mark-Compact", count: 1, sum: 7, longest: 7 },
    { isolate: "0xb", kind: "steps of marking", count: 16, sum: 1.6, longest: 1 },
  ]);
});

test("the lines of this V8 are read", async () => {
  const code = "let last; for (let i = 0; i < 1e6; i++) last = { i, last: i % 1000 ? last : undefined }; gc()";
  const flags = "--v8-flags=--trace-gc,--expose-gc,--max-semi-space-size=1";
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["eval", flags, code], stderr: "inherit" })
    .output();
  const log = new TextDecoder().decode(stdout);
  const pauses = readPauses(log);
  assert.deepEqual(pauses.map(({ kind }) => kind).filter((kind) => !kind.startsWith("steps")).sort(), [
    "Mark-Compact",
    "Scavenge",
  ]);
  const counted = pauses.filter(({ kind }) => !kind.startsWith("steps")).reduce((sum, { count }) => sum + count, 0);
  assert.equal(counted, log.split("\n").filter((line) => line.startsWith("[")).length);
});
