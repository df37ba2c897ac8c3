import assert from "node:assert/strict";
import test from "node:test";
import { countsIn, errorsIn, failuresIn, reasonsIn, timesOf, total } from "./report.ts";

const OUTPUT = `running 3 tests from ./a_test.ts
adds a pet ... ok (1ms)
keeps keys (keys, skipped: the store has no keys) ... ignored (0ms)
gets a pet ... FAILED (2ms)

 ERRORS 

gets a pet => ./a_test.ts:9:1
error: AssertionError: 404 !== 200
    at file:///a_test.ts:10:3

 FAILURES 

gets a pet => ./a_test.ts:9:1

FAILED | 1 passed | 1 failed | 1 ignored (3ms)
`;

test("countsIn() adds the summaries of a part's runners", () => {
  const { counts, summary } = countsIn(`${OUTPUT}\nok | 4 passed (2 steps) | 0 failed (1s)\n`);
  assert.deepEqual(counts, { passed: 5, failed: 1, ignored: 1 });
  assert.equal(summary.split("; ").length, 2);
  assert.equal(countsIn("killed").summary, "ended without a summary");
});

test("errorsIn() shows the errors in full, or the last lines of a part that failed without one", () => {
  assert.match(errorsIn(OUTPUT), /^gets a pet => .*\n.*\n {4}at file/);
  assert.equal(errorsIn("a\nerror: no such package\n"), "a\nerror: no such package");
});

test("failuresIn() names each test that failed with its place and its error", () => {
  assert.deepEqual(failuresIn(OUTPUT), ["gets a pet => ./a_test.ts:9:1: AssertionError: 404 !== 200"]);
  const inFolder = OUTPUT.replaceAll("./a_test.ts", "../../support/test_with.ts");
  assert.match(failuresIn(inFolder)[0]!, /^gets a pet => \.\.\/\.\.\/support/);
  assert.deepEqual(failuresIn("a\nerror: no such package\n\nStack\n   0: <unknown>"), ["error: no such package"]);
});

test("reasonsIn() counts the tests that did not run by reason", () => {
  assert.deepEqual([...reasonsIn([OUTPUT, OUTPUT])], [["the store has no keys", 2]]);
  assert.deepEqual([...reasonsIn(["waits ... ignored (0ms)"])], [["it says so: waits", 1]]);
});

test("total() is one line, in the form of deno test", () => {
  const counts = [{ passed: 1, failed: 0, ignored: 2 }, { passed: 3, failed: 1, ignored: 0 }];
  assert.equal(total(counts, true, 61_000), "FAILED | 4 passed | 1 failed | 2 ignored (1m1s)");
});

test("timesOf() lists the parts, the longest first, with their installation", () => {
  const parts = [{ name: "a", took: 1_400, installing: 0 }, { name: "b", took: 61_000, installing: 9_600 }];
  const rows = timesOf(parts).split("\n").map((row) => row.trim().split(/ {2,}/));
  assert.deepEqual(rows, [["part", "took", "install"], ["b", "61 s", "10 s"], ["a", "1 s", "0 s"]]);
});
