/** The units in docs/ and docs/nginx.conf agree, and the units' commands serve with the permissions that they grant. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addPet, serverAt } from "../support/server/server_process.ts";
import { withTempFolder } from "../support/temp.ts";
import { test } from "../support/server/in_process.ts";
import { readUnit, started, startUnit, unitCommand, unitHere, UNITS } from "../support/server/unit.ts";
import { command, skipUnless, testUnless } from "../support/system/commands.ts";
import { freePort, untilAccepted } from "../support/system/free_port.ts";

const NGINX = readFileSync(new URL("../../docs/nginx.conf", import.meta.url), "utf8");

const NO_SYSTEMD = skipUnless(["systemd-analyze"], "systemd 252 or later", () => {
  assert.ok(Number(/^systemd (\d+)/.exec(command("systemd-analyze", "--version"))?.[1]) >= 252);
});

for (const name of UNITS) {
  test(`${name} starts the petstore where nginx looks for it`, () => {
    const address = /^ *server ([\d.]+):(\d+); +# set: petstore$/m.exec(NGINX);
    assert.ok(address);
    const line = unitCommand(name, 8000).join(" ");
    assert.ok(line.includes(`--hostname ${address[1]} --port ${address[2]}`));
    assert.ok(line.includes(`--allow-net=${address[1]}:${address[2]}`));
  });

  testUnless(NO_SYSTEMD)(`systemd takes ${name} without a warning`, () =>
    withTempFolder((folder) => {
      mkdirSync(join(folder, "unit"));
      const file = join(folder, "unit", name);
      writeFileSync(file, unitHere(name));
      const { code, stderr } = new Deno.Command("systemd-analyze", { args: ["verify", "--man=no", file] }).outputSync();
      assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
    }));
}

test("the units differ in the needs of their stores and share all protections", () => {
  const fences = UNITS.map((name) => {
    const unit = readUnit(name);
    return unit.slice(unit.indexOf("# Each connection takes a file.")).replace(/^#.*\n/gm, "");
  });
  assert.equal(fences[0], fences[1]);
});

test("every command that serves on Deno is quiet: otherwise clients can make Deno print, and wait", () => {
  const pages = ["hosts.md", "server.md", "production.md", ...UNITS].map((name) => `docs/${name}`);
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
  await using child = startUnit("petstore.service", 0, { cwd: folder, env }, moved);
  const port = await started(child);
  const key = readFileSync(join(folder, "data", "api-key"), "utf8").trim();
  await addPet(serverAt(port), key);
  await untilAccepted(metrics);
  assert.equal(await child.stop(), 0);

  mkdirSync(credentials);
  writeFileSync(join(credentials, "keys"), "pk_credential\n");
  writeFileSync(join(credentials, "store"), "sqlite:data/other.db\n");
  const files = { PETSTORE_KEYS_FILE: join(credentials, "keys"), PETSTORE_STORE_FILE: join(credentials, "store") };
  await using second = startUnit("petstore.service", 0, { cwd: folder, env: { ...env, ...files } }, moved);
  await addPet(serverAt(await started(second)), "pk_credential");
  assert.equal(await second.stop(), 0);
  assert.ok(existsSync(join(folder, "data", "other.db")));
});
