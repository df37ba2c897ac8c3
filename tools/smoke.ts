/**
 * `deno task smoke` tries the server on any system: it starts, a client adds a pet, it stops,
 * starts again, and still has the pet. Windows has no signal that a process can handle: there the
 * server is killed, which no acknowledged pet may notice either.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, type Pets } from "../packages/client/mod.ts";
import { Child } from "../tests/support/system/child.ts";
import { withTempFolder } from "../tests/support/temp.ts";

const SERVER = fileURLToPath(new URL("../server.ts", import.meta.url));

/** Starts the server in a folder, uses it by the client, and stops it. */
async function whileServing<T>(folder: string, use: (pets: Pets) => Promise<T>): Promise<T> {
  const args = ["run", "--quiet", "--no-prompt", "--allow-all", SERVER, "serve", "--port=0", "--log=off"];
  await using server = new Child(Deno.execPath(), args, { cwd: folder });
  const [, baseUrl = ""] = await server.printed(/ listens on (http:\S+)/);
  // The last line of the greeting comes when the server has its key.
  await server.printed(/\n {2}try /);
  const key = readFileSync(join(folder, "data", "api-key"), "utf8").trim();
  const result = await use(createClient({ baseUrl, key }).pets);
  const isWindows = Deno.build.os === "windows";
  const status = await server.stop(isWindows ? "SIGKILL" : "SIGTERM");
  if (!isWindows) assert.equal(status, 0, server.written.stderr);
  return result;
}

await withTempFolder(async (folder) => {
  const rex = { name: "Rex", categoryId: 2n ** 63n - 1n };
  const pet = await whileServing(folder, (pets) => pets.create(rex));
  assert.deepEqual(await whileServing(folder, (pets) => pets.get(pet.id)), pet);
  console.log(`The server started, kept pet ${pet.id}, and stopped twice on ${Deno.build.os} ${Deno.build.arch}`);
});
