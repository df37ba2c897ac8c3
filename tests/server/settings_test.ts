import assert from "node:assert/strict";
import { test } from "node:test";
import { readArguments } from "../../lib/server/commands/arguments.ts";
import { describeCommand } from "../../lib/server/commands/help.ts";
import { SERVE } from "../../lib/server/commands/serve.ts";
import { readSettings, type ServerSettings } from "../../lib/server/server_settings.ts";
import { SETTINGS } from "../../lib/server/settings.ts";
import { OWN_PARAMETERS, POSTGRES_VARIABLES } from "../../lib/server/store/postgres_url.ts";
import { withFreshServerHere } from "../support/server/in_process.ts";
import { PET } from "../support/server/server_process.ts";
import { taskFlags } from "../support/server/serve_task.ts";

const HELP = describeCommand("serve", SERVE);
const VARIABLES = [...Object.values(SETTINGS).map(({ variable }) => variable), ...Object.values(POSTGRES_VARIABLES)];

function read(args: string[], env: Record<string, string> = {}): ServerSettings {
  return readSettings(readArguments("serve", SERVE, args).flags, (name) => env[name]);
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
  for (const [flag, { kind, variable, default: fallback = "" }] of Object.entries(SETTINGS)) {
    const [first, second] = SAMPLES[flag] ?? (kind === "switch" ? ["off", "on"] : ["a", "b"]);
    const byFlag = kind === "switch" ? [`--no-${flag}`] : [`--${flag}`, first];
    assert.deepEqual(read(byFlag, { [variable]: second }), read([], { [variable]: first }), flag);
    assert.notDeepEqual(read(byFlag), read([]), flag);
    assert.deepEqual(read([], { [variable]: fallback }), read([]), flag);
    assert.deepEqual(read([], { [variable]: "" }), read([]), flag);
    if (kind === "switch") assert.deepEqual(read([`--${flag}`], { [variable]: "off" }), read([]), flag);
  }
  assert.equal(read(["--workers", "auto"]).workers, Math.min(navigator.hardwareConcurrency, 64));
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
  for (const { default: fallback = "" } of Object.values(SETTINGS)) assert.ok(HELP.includes(fallback), fallback);
  const words = new Set(HELP.split(/[^\w]+/));
  for (const name of [...VARIABLES, ...Object.keys(OWN_PARAMETERS)]) assert.ok(words.has(name), name);
});

test("the environment is enough to set everything, and a key can be given as its digest", async () => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("secret"))).toHex();
  const env = {
    PORT: "0",
    PETSTORE_HOSTNAME: "::1",
    PETSTORE_KEYS: `plain, sha256:${digest}`,
    PETSTORE_STORE: "memory:",
    PETSTORE_CORS_ORIGINS: "https://a.example",
    PETSTORE_PUBLIC_URL: "/public",
  };
  await withFreshServerHere({ env }, async ({ ask, origin, written }, folder) => {
    assert.match(origin, /^http:\/\/\[::1\]:\d+$/);
    for (const key of ["plain", "secret"]) assert.equal((await ask("/v1/pets", key)).status, 200);
    for (const key of [`sha256:${digest}`, "plain,", null]) assert.equal((await ask("/v1/pets", key)).status, 401);
    for (const [own, granted] of [["https://a.example", "https://a.example"], ["https://b.example", null]] as const) {
      const { headers } = await ask("/v1/pets", "plain", { headers: { origin: own } });
      assert.equal(headers.get("access-control-allow-origin"), granted);
    }
    const headers = { "content-type": "application/json" };
    const created = await ask("/v1/pets", "plain", { method: "POST", headers, body: PET });
    assert.equal(created.headers.get("location"), "/public/pets/1");
    assert.ok(!written.stdout.includes("plain") && !written.stdout.includes("secret"));
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});
