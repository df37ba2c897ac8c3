import assert from "node:assert/strict";
import { test } from "node:test";
import { readArguments } from "../../lib/server/commands/arguments.ts";
import { describeCommand } from "../../lib/server/commands/help.ts";
import { SERVE } from "../../lib/server/commands/serve.ts";
import { readSettings, type ServerSettings } from "../../lib/server/server_settings.ts";
import { SETTINGS } from "../../lib/server/settings.ts";
import { OWN_PARAMETERS, POSTGRES_VARIABLES } from "../../lib/server/store/postgres_url.ts";
import { taskFlags } from "../support/server/serve_task.ts";

const HELP = describeCommand("serve", SERVE);
const VARIABLES = [
  ...Object.values(SETTINGS).map(({ variable = "" }) => variable),
  ...Object.values(POSTGRES_VARIABLES),
];

function read(args: string[], env: Record<string, string> = {}): ServerSettings {
  return readSettings(readArguments("serve", SERVE, args, (name) => env[name]));
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
  "cors-origin": ["https://a.example", "*"],
  "public-url": ["https://a.example/v1", "/pets"],
};

test("every setting is read from its flag, else from its variable, else from its default", () => {
  for (const [flag, { value, variable = "", default: fallback = "" }] of Object.entries(SETTINGS)) {
    const [first, second] = SAMPLES[flag] ?? (value === undefined ? ["off", "on"] : ["a", "b"]);
    const byFlag = value === undefined ? [`--no-${flag}`] : [`--${flag}`, first];
    assert.deepEqual(read(byFlag, { [variable]: second }), read([], { [variable]: first }), flag);
    assert.notDeepEqual(read(byFlag), read([]), flag);
    assert.deepEqual(read([], { [variable]: fallback }), read([]), flag);
    assert.deepEqual(read([], { [variable]: "" }), read([]), flag);
    if (value === undefined) assert.deepEqual(read([`--${flag}`], { [variable]: "off" }), read([]), flag);
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
