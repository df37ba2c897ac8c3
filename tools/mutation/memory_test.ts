/** The tests of the memory store are as strong as the page about reliability says. */

import assert from "node:assert/strict";
import { test } from "node:test";

test("mutants of the memory store are noticed as often as the floors ask, and those listed as equivalent are not", async () => {
  const args = ["task", "mutate", "memory"];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: "../.." }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  assert.equal(code, 0, text);
  assert.match(text, /^memory, all: /m);
});
