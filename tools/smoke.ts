/**
 * `deno task smoke` tries the server on any system: it starts, a client adds a pet, it stops, starts again, and still has the pet.
 * Windows has no signal that a process can handle: there the server is killed, which no acknowledged pet may notice either.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "../packages/client/mod.ts";
import { withTempFolder } from "../tests/support/temp.ts";

const SERVER = fileURLToPath(new URL("../server.ts", import.meta.url));

/** How long the server may take to start, in milliseconds. */
const START_TIMEOUT = 60_000;

interface Running {
  baseUrl: string;
  stop(): Promise<void>;
}

/** Starts the server in a folder, and reads the address that it prints. */
async function start(folder: string): Promise<Running> {
  const args = ["run", "--quiet", "--no-prompt", "--allow-all", SERVER, "serve", "--port=0", "--log=off"];
  const child = new Deno.Command(Deno.execPath(), { args, cwd: folder, stdout: "piped", stderr: "inherit" }).spawn();
  const late = setTimeout(() => child.kill(), START_TIMEOUT);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let printed = "";
  // The last line of the greeting comes when the server listens and has its key.
  while (!printed.includes("\n  try ")) {
    const { value, done } = await reader.read();
    assert.ok(!done, `The server has ended: ${printed}`);
    printed += value;
  }
  clearTimeout(late);
  const [, baseUrl = ""] = / listens on (http:\S+)/.exec(printed) ?? [];
  return {
    baseUrl,
    async stop() {
      child.kill(Deno.build.os === "windows" ? "SIGKILL" : "SIGTERM");
      await reader.cancel();
      const { code } = await child.status;
      if (Deno.build.os !== "windows") assert.equal(code, 0, "The exit status of the server");
    },
  };
}

await withTempFolder(async (folder) => {
  const first = await start(folder);
  const key = readFileSync(join(folder, "data", "api-key"), "utf8").trim();
  const rex = { name: "Rex", categoryId: 2n ** 63n - 1n };
  const pet = await createClient({ baseUrl: first.baseUrl, key }).pets.create(rex);
  await first.stop();
  const second = await start(folder);
  assert.deepEqual(await createClient({ baseUrl: second.baseUrl, key }).pets.get(pet.id), pet);
  await second.stop();
  console.log(`The server started, kept pet ${pet.id}, and stopped twice on ${Deno.build.os} ${Deno.build.arch}`);
});
