/** JSON as the page lays it out: as JSON.stringify() would, and with every number as it was. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { indentJson, VIEWER_SCRIPT } from "../../lib/server/viewer/script.ts";

test("indentJson() lays JSON out as JSON.stringify() does, however it was laid out before", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\t", "\n  "), (value, space) => {
      assert.equal(indentJson(JSON.stringify(value, null, space)), JSON.stringify(value, null, 2));
    }),
    { numRuns: 500 },
  );
});

test("indentJson() leaves numbers and strings as they were written", () => {
  const json = String
    .raw`{"id":9223372036854775807,"is":[-9223372036854775807,1.0,1e3],"a\"[,:] ":"é \\","e":[ ],"o":{ }}`;
  const lines = [
    "{",
    '  "id": 9223372036854775807,',
    '  "is": [',
    "    -9223372036854775807,",
    "    1.0,",
    "    1e3",
    "  ],",
    String.raw`  "a\"[,:] ": "é \\",`,
    '  "e": [],',
    '  "o": {}',
    "}",
  ];
  assert.equal(indentJson(json), lines.join("\n"));
});

test("the page's script holds that function, and is a script", () => {
  assert.ok(VIEWER_SCRIPT.includes(indentJson.toString()));
  // As plain JavaScript: what a browser would not take, this does not either.
  assert.doesNotThrow(() => new Function("SwaggerUIBundle", VIEWER_SCRIPT)(() => {}));
});
