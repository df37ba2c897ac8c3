import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "../../lib/server/commands/command_line.ts";
import { describeUnknownVariables } from "../../lib/server/settings/environment.ts";
import { SERVE } from "../../lib/server/commands/serve.ts";
import { readSettings } from "../../lib/server/settings/server_settings.ts";
import { SETTINGS } from "../../lib/server/settings/flags.ts";
import { prepareEnvironment } from "../../lib/server/settings/environment.ts";
import { test } from "../support/server/in_process.ts";
import { readFrom } from "../support/server/without_socket.ts";
import { runServer } from "../support/server/server_process.ts";

/** Two values of each setting that is no text. Neither is the default. */
const SAMPLES: Record<string, [string, string]> = {
  port: ["2", "3"],
  seed: ["2", "3"],
  log: ["json", "off"],
  "request-id": ["all", "none"],
  metrics: ["127.0.0.1:9464", "[::1]:9465"],
  faults: ["lose=0.1", "cut=1,times=3"],
  "cors-origin": ["https://a.example", "*"],
  "public-url": ["https://a.example/v1", "/pets"],
  "openapi-server": ["https://a.example/v1", "Staging=http://localhost:8001/v1"],
  stability: ["listPets=beta", "getPet=alpha"],
};

test("every setting is read from its flag, else from its variable, else from its default", () => {
  for (const [flag, { value, variable = "", default: fallback = "" }] of Object.entries(SETTINGS)) {
    const isSwitch = value === undefined, on = `--${flag}`, off = `--no-${flag}`;
    const states = fallback === "on" ? ["off", "on"] as const : ["on", "off"] as const;
    const [first, second] = SAMPLES[flag] ?? (isSwitch ? states : ["a", "b"]);
    const byFlag = isSwitch ? [first === "on" ? on : off] : [on, first];
    assert.deepEqual(readFrom(byFlag, { [variable]: second }), readFrom([], { [variable]: first }), flag);
    assert.notDeepEqual(readFrom(byFlag), readFrom([]), flag);
    assert.deepEqual(readFrom([], { [variable]: fallback }), readFrom([]), flag);
    assert.deepEqual(readFrom([], { [variable]: "" }), readFrom([]), flag);
    if (isSwitch) assert.deepEqual(readFrom([second === "on" ? on : off], { [variable]: first }), readFrom([]), flag);
  }
});

/** What platforms, shells and files put around a value, and whether a setting then has the value. */
const AROUND: [around: (value: string) => string, isRead: boolean][] = [
  [(value) => `${value}\r\n`, true],
  [(value) => `"${value}"`, false],
  [(value) => `${value}\x1b`, false],
  [(value) => `\u2060${value}`, false],
  [(value) => `${value}\${NAME:-}`, false],
  [() => "$(NAME)", false],
  [() => "<API_KEY>", false],
];

test("a setting has its value without the white space around it, wherever it comes from, and no quotes, controls or placeholders", () => {
  for (const [flag, { value, variable = "" }] of Object.entries(SETTINGS)) {
    if (value === undefined) continue;
    const [sample] = SAMPLES[flag] ?? ["a"];
    for (const [around, isRead] of AROUND) {
      const given = around(sample);
      for (const [source, args] of [[`--${flag}`, [`--${flag}`, given]], [variable, []]] as const) {
        const read = () => readFrom(args, args.length === 0 ? { [variable]: given } : {});
        if (isRead) assert.deepEqual(read(), readFrom([`--${flag}`, sample]), `${flag} ${JSON.stringify(given)}`);
        else {
          const says = new RegExp(`^${source} .*(quotes|invisible characters|placeholder)`);
          assert.throws(read, ({ message }) => says.test(message) && !message.includes(given));
        }
      }
    }
  }
});

test("a list in a variable may have an item on each line, and no item has quotes or is a part of JSON", () => {
  assert.deepEqual(readFrom([], { PETSTORE_KEYS: "a\r\nb,c\n" }).keys, ["a", "b", "c"]);
  for (const keys of ['a,"b"', '["a", "b"]']) {
    assert.throws(() => readFrom([], { PETSTORE_KEYS: keys }), /^SettingError: PETSTORE_KEYS .*(quotes|JSON)/);
  }
});

test("the variables that Kubernetes and Docker set for a service named petstore are no settings, and not told", () => {
  const links = {
    PETSTORE_PORT: "tcp://10.43.12.7:8000",
    PETSTORE_PORT_8000_TCP_ADDR: "10.43.12.7",
    PETSTORE_SERVICE_PORT_HTTP: "8000",
    PETSTORE_ENV_DENO_VERSION: "2.9.6",
  };
  assert.deepEqual(readFrom([], links), readFrom([]));
  assert.equal(readFrom([], { ...links, PORT: "9000" }).port, 9000);
  assert.deepEqual(describeUnknownVariables(Object.keys(links)), []);
  for (const name of ["PETSTORE_PROT", "PETSTORE_PORTS", "PETSTORE_SERVICE"]) {
    assert.equal(describeUnknownVariables([name]).length, 1, name);
  }
});

test("PETSTORE_PORT wins over PORT, which platforms set, and the last one of several flags counts", () => {
  assert.equal(readFrom([], { PORT: "1", PETSTORE_PORT: "9000" }).port, 9000);
  assert.equal(readFrom([], { PORT: "9000", PETSTORE_PORT: "" }).port, 9000);
  const { port, keys } = readFrom(["--port=1", "--key=a", "--port", "2", "--key=b"]);
  assert.deepEqual([port, keys], [2, ["a", "b"]]);
  assert.throws(() => readFrom([], { PORT: "x" }), { message: 'PORT must be a number from 0 to 65535, not "x"' });
});

test("a wrong address that may have a password is not quoted", () => {
  const env = { PETSTORE_PUBLIC_URL: "https://me:secret@api.example/v1" };
  assert.throws(
    () => readFrom([], env),
    ({ message }) => /^PETSTORE_PUBLIC_URL must/.test(message) && !/secret/.test(message),
  );
});

test.withFolder("a start tells of each variable PETSTORE_… that no setting has, and of no other", async (folder) => {
  const env = { PETSTORE_STOER: "memory:", PETSTORE_DOCS: "off", PETSTORES: "x", PGHOST: "x" };
  // A process, because a list of all variables needs a permission of the task.
  const { stderr } = await runServer(folder, { args: ["--key="], env });
  const ignored = "petstore: the variable PETSTORE_STOER is ignored: there is no such setting\n";
  assert.equal(stderr, `${ignored}petstore: An API key must not be empty\n`);
});

// Files that cannot be used: refusals_test.ts.
test.withFolder("a secret is what its file has, without the line end at its end, and keys may have a line each", (folder) => {
  const path = join(folder, "secret");
  const lookUp = (name: string, text: string, given = path) => {
    writeFileSync(path, text);
    return prepareEnvironment((variable) => ({ [`${name}_FILE`]: given })[variable])(name);
  };
  for (const name of ["PETSTORE_KEYS", "PETSTORE_STORE", "PGPASSWORD"]) {
    for (const text of ["a b\n", "a b\r\n", "\uFEFFa b"]) assert.equal(lookUp(name, text), "a b");
  }
  // The path is prepared as every setting is.
  assert.equal(lookUp("PETSTORE_KEYS", "a", ` ${path}\r\n`), "a");
  writeFileSync(path, "a\r\nb,c\n d \n");
  const readKeys = (args: string[], file: string) => {
    const environment = prepareEnvironment((name) => ({ PETSTORE_KEYS_FILE: file })[name]);
    return readSettings(readArguments("serve", SERVE, args, environment)).keys;
  };
  assert.deepEqual(readKeys([], path), ["a", "b", "c", "d"]);
  // Flags override the environment, and a file that is not needed is not read.
  assert.deepEqual(readKeys(["--key=e"], "/nowhere"), ["e"]);
});
