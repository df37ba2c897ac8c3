/** The server's copy of Swagger UI is the pinned package's. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import packed from "../../../lib/server/viewer/swagger_ui.json" with { type: "json" };
import { VIEWER_VERSION } from "../../../lib/server/viewer/operations.ts";
import config from "../../../tools/viewer/deno.json" with { type: "json" };
import { FILES, LICENCES, packagedVersion, readPackaged, VIEWER } from "../../../tools/viewer/package.ts";

test("the viewer's files are those of the pinned package, byte for byte", () => {
  assert.equal(config.imports["swagger-ui-dist"], `npm:swagger-ui-dist@${packed.version}`);
  assert.equal(packagedVersion(), packed.version);
  assert.equal(VIEWER_VERSION, packed.version);
  assert.deepEqual(Object.keys(packed.files), [...FILES]);
  for (const [name, base64] of Object.entries(packed.files)) {
    const unpacked = gunzipSync(Buffer.from(base64, "base64"));
    assert.ok(unpacked.equals(readPackaged(name)), `${name} is out of date: run deno task viewer`);
  }
});

test("the viewer's licence and notices are beside its files", () => {
  for (const name of LICENCES) {
    const copy = Deno.readFileSync(new URL(name, VIEWER));
    assert.deepEqual(copy, readPackaged(name), `${name} is out of date: run deno task viewer`);
  }
});
