import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { indentJson } from "../../lib/server/viewer/page/indent_json.js";
import { packPage } from "../../tools/viewer/package.ts";

test("indentJson() lays JSON out as JSON.stringify() does, whatever the layout was before", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\t", "\n  "), (value, space) => {
      assert.equal(indentJson(JSON.stringify(value, null, space)), JSON.stringify(value, null, 2));
    }),
    { numRuns: 500 },
  );
});

test("indentJson() leaves numbers as they are written", () => {
  const lines = ["[", "  9223372036854775807,", "  -9223372036854775807,", "  1.0,", "  1e3", "]"];
  assert.equal(indentJson("[9223372036854775807,-9223372036854775807, 1.0,1e3]"), lines.join("\n"));
});

test("the server's copy of the page's scripts is up to date", async () => {
  const copy = await Deno.readTextFile(new URL("../../lib/server/viewer/page.json", import.meta.url));
  assert.ok(copy === packPage(), "run deno task viewer");
});
