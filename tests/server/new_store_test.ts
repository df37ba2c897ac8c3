/** A store that a start or a command makes: where it may be, and what is said about it. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { test } from "../support/server/in_process.ts";
import { runLine } from "../support/server/pet_files.ts";

const DATABASE = "data/petstore.db";

/** Starts a server that ends at once. Without flags, its store is the default. */
async function start(flags = "--store=sqlite:data/petstore.db"): Promise<{ stdout: string; stderr: string }> {
  const { status, stdout, stderr } = await runLine(`serve --log=off ${flags}`);
  assert.equal(status, 0, stderr);
  return { stdout, stderr };
}

test.inFolder("a start that fails says that it has made the store", async () => {
  mkdirSync("data", { mode: 0o700 });
  writeFileSync("data/api-key", "", { mode: 0o600 });
  const { status, stderr } = await runLine("serve --store=sqlite:data/petstore.db");
  assert.equal(status, 2);
  assert.match(stderr, /^petstore: sqlite:data\/petstore\.db is new\npetstore: data\/api-key holds no key/);
});

test.inFolder("a start says once that its store is new", async () => {
  assert.equal((await start()).stderr, "");
  rmSync(DATABASE);
  const { stdout, stderr } = await start();
  assert.match(stdout, /petstore\.db \(new\)$/m);
  assert.equal(stderr, "");
  const again = await start();
  assert.match(again.stdout, /petstore\.db$/m);
  assert.equal(again.stderr, "");
});
