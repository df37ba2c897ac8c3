import assert from "node:assert/strict";
import { test } from "node:test";
import { readArguments } from "../../lib/server/commands/arguments.ts";
import { describeCommand } from "../../lib/server/commands/help.ts";
import { SERVE } from "../../lib/server/commands/serve.ts";
import { readSettings, type ServerSettings } from "../../lib/server/server_settings.ts";
import { type Environment, SETTINGS } from "../../lib/server/settings.ts";
import { OWN_PARAMETERS, POSTGRES_VARIABLES } from "../../lib/server/store/postgres_url.ts";
import { VERSION } from "../../lib/version.ts";
import { assertLog } from "../support/server/access_log.ts";
import { runServer, withServer } from "../support/server/server_process.ts";
import { taskFlags } from "../support/server/serve_task.ts";
import { withTempFolder } from "../support/temp.ts";

const HELP = describeCommand("serve", SERVE);
const VARIABLES = [...Object.values(SETTINGS).map(({ variable }) => variable), ...Object.values(POSTGRES_VARIABLES)];

test("the number of workers is 1, as set, or with auto one for each processor", () => {
  const workersOf = (args: string[], variable?: string) => {
    return read(args, (name) => name === "PETSTORE_WORKERS" ? variable : undefined).workers;
  };
  assert.equal(workersOf([]), 1);
  assert.equal(workersOf([], "3"), 3);
  assert.equal(workersOf(["--workers=64"], "3"), 64);
  assert.equal(workersOf(["--workers", "auto"]), Math.min(navigator.hardwareConcurrency, 64));
});

test("flags win over the environment", () =>
  withTempFolder((folder) => {
    const env = {
      PORT: "1",
      PETSTORE_HOSTNAME: "192.0.2.1",
      PETSTORE_KEYS: "environment",
      PETSTORE_STORE: "sqlite:nowhere/pets.db",
      PETSTORE_CORS_ORIGINS: "https://environment.example",
      PETSTORE_PUBLIC_URL: "https://environment.example",
      PETSTORE_LOG: "off",
    };
    const args = [
      ...["--port=0", "--hostname=localhost", "--key=flag", "--key", "second", "--store=memory:"],
      ...["--cors-origin=https://flag.example", "--public-url=/flag", "--log=text"],
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

test("the environment is enough to set everything, and a key can be given as its digest", () =>
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

function read(args: string[], env: Record<string, string> | Environment = {}): ServerSettings {
  return readSettings(readArguments("serve", SERVE, args).flags, typeof env === "function" ? env : (name) => env[name]);
}

/** Two values of each setting that is no text. Neither is the default. */
const SAMPLES: Record<string, [string, string]> = {
  port: ["2", "3"],
  seed: ["2", "3"],
  workers: ["2", "3"],
  log: ["json", "off"],
  "request-id": ["all", "none"],
  "rate-limit": ["100/1m", "5/30s"],
  metrics: ["127.0.0.1:9464", "[::1]:9465"],
  traces: ["0.01", "1"],
};

test("every setting is read from its flag, else from its variable, else from its default", () => {
  for (const [flag, { kind, variable, default: fallback }] of Object.entries(SETTINGS)) {
    const [first, second] = SAMPLES[flag] ?? (kind === "switch" ? ["off", "on"] : ["a", "b"]);
    const byFlag = kind === "switch" ? [`--no-${flag}`] : [`--${flag}`, first];
    assert.deepEqual(read(byFlag, { [variable]: second }), read([], { [variable]: first }), flag);
    assert.notDeepEqual(read(byFlag), read([]), flag);
    assert.deepEqual(read([], { [variable]: fallback }), read([]), flag);
    assert.deepEqual(read([], { [variable]: "" }), read([]), flag);
    if (kind === "switch") assert.deepEqual(read([`--${flag}`], { [variable]: "off" }), read([]), flag);
  }
});

test("the last of several values of a flag counts, unless the flag is repeatable", () => {
  const { port, keys } = read(["--port=1", "--key=a", "--port", "2", "--key=b"]);
  assert.deepEqual([port, keys], [2, ["a", "b"]]);
});

test("the task serve may read every variable of the server and of PostgreSQL", () => {
  const [, list = ""] = /--allow-env=(\S+)/.exec(taskFlags().join(" ")) ?? [];
  const allowed = list.split(",");
  for (const name of VARIABLES) {
    const isAllowed = (item: string) => item.endsWith("*") ? name.startsWith(item.slice(0, -1)) : name === item;
    assert.ok(allowed.some(isAllowed), name);
  }
});

test("serve --help names every flag, variable and default", () => {
  for (const flag of [...Object.keys(SETTINGS), "print-schema", "help"]) {
    assert.ok(HELP.includes(`  --${flag}`), flag);
  }
  for (const { default: fallback } of Object.values(SETTINGS)) assert.ok(HELP.includes(fallback), fallback);
  const words = new Set(HELP.split(/[^\w]+/));
  for (const name of [...VARIABLES, ...Object.keys(OWN_PARAMETERS)]) assert.ok(words.has(name), name);
  for (const line of HELP.split("\n")) assert.ok(line.length <= 100, line);
});

test("--help and --version are printed, and nothing is started or written", () =>
  withTempFolder(async (folder) => {
    const config = JSON.parse(Deno.readTextFileSync(new URL("../../deno.json", import.meta.url)));
    assert.equal(VERSION, config.version);
    const version = await runServer(folder, { args: ["--version"] });
    assert.deepEqual(version, { status: 0, stdout: `petstore ${VERSION}\n`, stderr: "" });
    const help = await runServer(folder, { args: ["serve", "--help", "--port=1"] });
    assert.deepEqual(help, { status: 0, stdout: HELP, stderr: "" });
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));
