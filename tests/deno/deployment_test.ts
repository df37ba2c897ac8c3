/** docs/petstore.service and docs/nginx.conf agree, and the unit's command serves with the permissions that it grants. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { exchange } from "../support/raw_socket.ts";
import { validateServerAnswer } from "../support/server_description.ts";
import { PET } from "../support/server_process.ts";
import { withTempFolder } from "../support/temp.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const UNIT = readFileSync(join(ROOT, "docs", "petstore.service"), "utf8");
const NGINX = readFileSync(join(ROOT, "docs", "nginx.conf"), "utf8");

/** The unit with the places of Deno and of the petstore that are right here. */
const UNIT_HERE = UNIT.replace("/usr/local/bin/deno", Deno.execPath()).replace("/opt/petstore/", ROOT);

/** The words of the command, with lines that go on joined. */
const COMMAND = /^ExecStart=([^]*?[^\\])$/m.exec(UNIT_HERE)?.[1]?.replaceAll("\\\n", " ").split(/\s+/) ?? [];

test("the unit starts the petstore where nginx looks for it", () => {
  const address = /^ *server ([\d.]+):(\d+); +# set: petstore$/m.exec(NGINX);
  assert.ok(address);
  assert.ok(COMMAND.join(" ").includes(`--hostname ${address[1]} --port ${address[2]}`));
  assert.ok(COMMAND.includes(`--allow-net=${address[1]}:${address[2]}`));
});

test("the unit's command serves with the permissions that it grants, and ends with status 0 at SIGTERM", () =>
  withTempFolder(async (folder) => {
    const args = COMMAND.slice(1).map((word) => word.replace(/\b8000$/, "0"));
    const options = { args, cwd: folder, clearEnv: true, env: { DENO_DIR: join(folder, "cache") } } as const;
    const child = new Deno.Command(COMMAND[0] ?? "", { ...options, stdin: "null", stdout: "piped" }).spawn();
    try {
      let printed = "";
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream()).values({ preventCancel: true })) {
        if (/^ {2}try .*\n/m.test(printed += text)) break;
      }
      const port = Number(/ listens on http:.*:(\d+)\/v1$/m.exec(printed)?.[1]);
      const key = readFileSync(join(folder, "data", "api-key"), "utf8").trim();
      const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`;
      const request = `${head}Content-Length: ${PET.length}\r\n\r\n${PET}`;
      assert.equal((await exchange({ port, validate: validateServerAnswer }, request))?.status, 201);
      child.kill("SIGTERM");
      assert.equal((await child.status).code, 0);
    } finally {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended already, as it should.
      }
      await child.status;
    }
  }));

test("systemd takes the unit without a warning", { skip: whyNoSystemd() }, () =>
  withTempFolder((folder) => {
    mkdirSync(join(folder, "unit"));
    const file = join(folder, "unit", "petstore.service");
    writeFileSync(file, UNIT_HERE);
    const { code, stderr } = new Deno.Command("systemd-analyze", { args: ["verify", "--man=no", file] }).outputSync();
    assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
  }));

/** Why systemd cannot be asked here, or `false`. */
function whyNoSystemd(): string | false {
  try {
    const { success, stdout } = new Deno.Command("systemd-analyze", { args: ["--version"] }).outputSync();
    const version = Number(/^systemd (\d+)/.exec(new TextDecoder().decode(stdout))?.[1]);
    return success && version >= 252 ? false : "systemd is older than 252";
  } catch {
    return "there is no systemd-analyze";
  }
}
