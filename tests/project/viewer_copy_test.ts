/** The server's copy of Swagger UI is the pinned package's. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import packed from "../../lib/server/viewer/swagger_ui.json" with { type: "json" };
import { VIEWER_VERSION } from "../../lib/server/viewer/operations.ts";
import { FILES, LICENCES, packagedVersion, readPackaged, VIEWER } from "../../tools/viewer/pack.ts";

test("the viewer's files, its licence and its notices are those of the pinned package, byte for byte", () => {
  assert.deepEqual([packed.version, VIEWER_VERSION], [packagedVersion(), packagedVersion()]);
  assert.deepEqual(Object.keys(packed.files), [...FILES]);
  const copies = Object.entries(packed.files).map((
    [name, base64],
  ) => [name, gunzipSync(Buffer.from(base64, "base64"))]);
  const beside = LICENCES.map((name) => [name, Deno.readFileSync(new URL(name, VIEWER))]);
  for (const [name, copy] of [...copies, ...beside] as [string, Uint8Array][]) {
    assert.ok(Buffer.from(copy).equals(readPackaged(name)), `${name} is out of date: run deno task viewer`);
  }
});
