/** The unit of systemd in docs/ serves with the permissions that it grants, and every documented command is quiet. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addPet, serverAt } from "../support/server/server_process.ts";
import { test } from "../support/server/in_process.ts";
import { started, startUnit } from "../support/server/unit.ts";
import { freePort } from "../support/system/free_port.ts";

test("every command that serves on Deno is quiet: otherwise clients can make Deno print, and wait", () => {
  const pages = ["hosts.md", "server.md", "production.md", "petstore.service", "petstore-postgres.service"].map((
    name,
  ) => `docs/${name}`);
  const texts = ["deno.json", ...pages, "README.md"].map((path) =>
    readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
  );
  const commands = texts.flatMap((text) =>
    text.match(/deno (run|serve)\b[^`"]*?(server|app)\.ts|(?<=by `)deno run[^`]*/g) ?? []
  );
  assert.ok(commands.length > 5);
  for (const line of commands) assert.match(line, /^deno (run|serve) --quiet\b/);
});

test.withFolder("the unit's command serves with the permissions that it grants, with metrics and credentials if its environment says so", async (folder) => {
  const metrics = await freePort();
  const env = { DENO_DIR: join(folder, "cache"), PETSTORE_METRICS: `127.0.0.1:${metrics}` };
  const credentials = join(folder, "credentials");
  const moved = (word: string) =>
    word.replace("127.0.0.1:9464", `127.0.0.1:${metrics}`).replace("/run/credentials/petstore.service", credentials);
  await using child = startUnit("petstore.service", { cwd: folder, env }, moved);
  const port = await started(child);
  const key = readFileSync(join(folder, "data", "api-key"), "utf8").trim();
  await addPet(serverAt(port), key);
  await child.accepts(metrics);
  assert.equal(await child.stop(), 0);

  mkdirSync(credentials);
  writeFileSync(join(credentials, "keys"), "pk_credential\n");
  writeFileSync(join(credentials, "store"), "sqlite:data/other.db\n");
  const files = { PETSTORE_KEYS_FILE: join(credentials, "keys"), PETSTORE_STORE_FILE: join(credentials, "store") };
  await using second = startUnit("petstore.service", { cwd: folder, env: { ...env, ...files } }, moved);
  await addPet(serverAt(await started(second)), "pk_credential");
  assert.equal(await second.stop(), 0);
  assert.ok(existsSync(join(folder, "data", "other.db")));
});
