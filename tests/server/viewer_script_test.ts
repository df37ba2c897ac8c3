import assert from "node:assert/strict";
import { test } from "node:test";
import { indentJson } from "../../lib/server/viewer/page/indent_json.js";
import { packPage } from "../../tools/viewer/package.ts";

test("indentJson() indents JSON, and leaves numbers as they are written", () => {
  const lines = ["{", '  "a": [', "    9223372036854775807,", "    -9223372036854775807,", "    1.0", "  ]", "}"];
  assert.equal(indentJson('{"a":[9223372036854775807,-9223372036854775807, 1.0]}'), lines.join("\n"));
  for (const text of ["<p>", "", undefined]) assert.equal(indentJson(text), undefined);
});

test("the server's copy of the page's scripts is up to date", async () => {
  const copy = await Deno.readTextFile(new URL("../../lib/server/viewer/page.json", import.meta.url));
  assert.ok(copy === packPage(), "run deno task viewer");
});
