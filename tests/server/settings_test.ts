/** Settings of the standalone server: flags, the environment, and which of them wins. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ENVIRONMENT } from "../../lib/server/settings.ts";
import { VERSION } from "../../lib/version.ts";
import { assertLog } from "../support/server/access_log.ts";
import { runServer, withServer } from "../support/server/server_process.ts";
import { withTempFolder } from "../support/temp.ts";

test("flags win over the environment", () =>
  withTempFolder((folder) => {
    const env = {
      PORT: "1",
      PETSTORE_HOSTNAME: "192.0.2.1",
      PETSTORE_KEYS: "environment",
      PETSTORE_STORE: "sqlite:nowhere/pets.db",
      PETSTORE_CORS_ORIGINS: "https://environment.example",
      PETSTORE_PUBLIC_URL: "https://environment.example",
      PETSTORE_ACCESS_LOG: "off",
    };
    const args = [
      ...["--port=0", "--hostname=localhost", "--key=flag", "--key", "second", "--store=memory:"],
      ...["--cors-origin=https://flag.example", "--public-url=/flag", "--access-log"],
    ];
    return withServer(folder, { args, env }, async (server) => {
      for (const key of ["flag", "second"]) assert.equal((await server.ask("/v1/pets", key)).status, 200);
      assert.equal((await server.ask("/v1/pets", "environment")).status, 401);
      for (const [name, granted] of [["flag", true], ["environment", false]] as const) {
        const origin = `https://${name}.example`;
        const { headers } = await server.ask("/v1/pets", "flag", { headers: { origin } });
        assert.equal(headers.get("access-control-allow-origin"), granted ? origin : null);
      }
      const created = await server.ask("/v1/pets", "flag", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"name":"Rex","categoryId":7}',
      });
      assert.equal(created.headers.get("location"), "/flag/pets/1");
      assert.equal(await server.stop(), 0);
      const lines = [200, 200, 401, 200, 200].map((status) => `GET /v1/pets ${status}`);
      assertLog(server.written.stdout, [...lines, "POST /v1/pets 201"]);
      assert.deepEqual([...Deno.readDirSync(folder)], []);
    });
  }));

test("the environment is enough, and a key may be known by its digest alone", () =>
  withTempFolder(async (folder) => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("secret")));
    const env = {
      PORT: "0",
      PETSTORE_HOSTNAME: "::1",
      PETSTORE_KEYS: `plain, sha256:${digest.toHex()}`,
      PETSTORE_STORE: "memory:",
      PETSTORE_CORS_ORIGINS: "*",
    };
    await withServer(folder, { env }, async (server) => {
      assert.match(server.origin, /^http:\/\/\[::1\]:\d+$/);
      for (const key of ["plain", "secret", "secret"]) assert.equal((await server.ask("/v1/pets", key)).status, 200);
      for (const key of [`sha256:${digest.toHex()}`, "plain,", null]) {
        assert.equal((await server.ask("/v1/pets", key)).status, 401);
      }
      const { headers } = await server.ask("/v1/pets", "plain", { headers: { origin: "https://a.example" } });
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.ok(!server.written.stdout.includes("plain") && !server.written.stdout.includes("secret"));
    });
  }));

test("--help and --version are printed, and nothing is started or written", () =>
  withTempFolder(async (folder) => {
    const config = JSON.parse(Deno.readTextFileSync(new URL("../../deno.json", import.meta.url)));
    assert.equal(VERSION, config.version);
    const version = await runServer(folder, { args: ["--version"] });
    assert.deepEqual(version, { status: 0, stdout: `petstore ${VERSION}\n`, stderr: "" });
    const help = await runServer(folder, { args: ["--help", "--port=1"] });
    assert.deepEqual([help.status, help.stderr], [0, ""]);
    for (const name of Object.values(ENVIRONMENT)) assert.ok(help.stdout.includes(name), name);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));
