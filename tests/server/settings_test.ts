import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareEnvironment } from "../../lib/server/settings/environment.ts";
import type { Option } from "../../lib/server/settings/options.ts";
import { SWITCH } from "../../lib/server/settings/formats.ts";
import {
  describeUnknownVariables,
  libraryOptions,
  SETTINGS,
  type Settings,
} from "../../lib/server/settings/server_settings.ts";
import { readSettings, test } from "../support/server/in_process.ts";
import { runCommand } from "../support/server/server_process.ts";

/** A valid text of each setting, which is not its default. */
const SAMPLES: Record<keyof Settings, string> = {
  hostname: "::1",
  port: "2",
  key: "a",
  store: "memory:",
  seed: "2",
  "allow-reset": "on",
  "reuse-port": "on",
  "cors-origin": "https://a.example",
  "public-url": "https://a.example/v1",
  "openapi-server": "Staging=http://localhost:8001/v1",
  stability: "listPets=beta",
  "enforce-sunset": "on",
  log: "json",
  "request-id": "all",
  metrics: "[::1]:9465",
  faults: "cut=1,times=3",
  docs: "off",
};

const ALL: [flag: keyof Settings, option: Option][] = Object.entries(SETTINGS) as [];

test("every setting is read from its flag, else from its variable, else from its default", () => {
  const defaults = readSettings([]);
  for (const [flag, { format, variable = "", default: fallback = "" }] of ALL) {
    const sample = SAMPLES[flag];
    const byVariable = readSettings([], { [variable]: sample });
    const words = format !== SWITCH ? [`--${flag}`, sample] : [sample === "on" ? `--${flag}` : `--no-${flag}`];
    assert.notDeepEqual(byVariable, defaults, flag);
    assert.deepEqual(readSettings(words, { [variable]: fallback }), byVariable, flag);
    for (const text of ["", fallback]) assert.deepEqual(readSettings([], { [variable]: text }), defaults, flag);
  }
});

test("the library gets each setting that is an option of it", () => {
  const flags = "--cors-origin=* --public-url=/pets --stability=listPets=beta --stability=getPet=alpha";
  assert.deepEqual(libraryOptions(readSettings(`${flags} --request-id=all --enforce-sunset`.split(" "))), {
    cors: { origins: ["*"] },
    deprecation: { gone: true },
    publicBaseUrl: "/pets",
    requestIds: "all",
    stability: { listPets: "beta", getPet: "alpha" },
  });
});

test("a setting has its value without the white space around it, wherever it comes from, and neither quotes nor controls", () => {
  for (const [flag, { format, variable = "" }] of ALL) {
    if (format === SWITCH) continue;
    const sample = SAMPLES[flag];
    assert.deepEqual(readSettings([], { [variable]: `${sample}\r\n` }), readSettings([`--${flag}`, sample]), flag);
    for (const given of [`"${sample}"`, `\u2060${sample}\x1b`]) {
      const says = new RegExp(`^(--${flag}|${variable}) .*(quotes|invisible characters)`);
      const isTold = ({ message }: Error) => says.test(message) && !message.includes(given);
      assert.throws(() => readSettings([`--${flag}`, given]), isTold, given);
      assert.throws(() => readSettings([], { [variable]: given }), isTold, given);
    }
  }
  assert.deepEqual(readSettings([], { PETSTORE_KEYS: "a\r\nb,c\n" }).key, ["a", "b", "c"]);
});

test("PETSTORE_PORT wins over PORT, which platforms set, and the last one of several flags counts", () => {
  assert.equal(readSettings([], { PORT: "1", PETSTORE_PORT: "9000" }).port, 9000);
  assert.equal(readSettings([], { PORT: "9000", PETSTORE_PORT: "" }).port, 9000);
  const { port, key: keys } = readSettings(["--port=x", "--key=a", "--port", "2", "--key=b"], { PETSTORE_PORT: "3" });
  assert.deepEqual([port, keys], [2, ["a", "b"]]);
});

test("the variables that Kubernetes and Docker set for a service named petstore are no settings, and not told", () => {
  const links = {
    PETSTORE_PORT: "tcp://10.43.12.7:8000",
    PETSTORE_PORT_8000_TCP_ADDR: "10.43.12.7",
    PETSTORE_SERVICE_PORT_HTTP: "8000",
  };
  assert.equal(readSettings([], { ...links, PORT: "9000" }).port, 9000);
  assert.deepEqual(describeUnknownVariables(Object.keys(links)), []);
});

test.withFolder("a start tells of each variable PETSTORE_… that no setting has, and of no other", async (folder) => {
  const env = { PETSTORE_STOER: "memory:", PETSTORE_PORTS: "1", PETSTORE_DOCS: "off", PETSTORES: "x", PGHOST: "x" };
  // A process, because a list of all variables needs a permission of the task.
  const { stderr } = await runCommand(folder, ["--seed="], env);
  const ignored = ["PORTS", "STOER"].map((name) =>
    `petstore: the variable PETSTORE_${name} is ignored: there is no such setting`
  );
  assert.deepEqual(stderr.split("\n").sort(), [
    "",
    `petstore: --seed must be a number from 0 to 1000000, not ""`,
    ...ignored,
  ]);
});

test.withFolder("a secret is what its file has, without the white space around it, and keys may have a line each", (folder) => {
  const path = join(folder, "secret");
  // The path is prepared as every setting is.
  const environment = prepareEnvironment((name) =>
    ({ PGPASSWORD_FILE: ` ${path}\r\n`, PETSTORE_KEYS_FILE: path })[name]
  );
  for (const text of ["a b", "a b\r\n", "a b\n\n", "\uFEFFa b\n"]) {
    writeFileSync(path, text);
    assert.equal(environment("PGPASSWORD"), "a b");
  }
  writeFileSync(path, "a\r\nb,c\n d \n");
  assert.deepEqual(readSettings([], { PETSTORE_KEYS_FILE: path }).key, ["a", "b", "c", "d"]);
  // Flags override the environment, and a file that is not needed is not read.
  assert.deepEqual(readSettings(["--key=e"], { PETSTORE_KEYS_FILE: "/nowhere" }).key, ["e"]);
});
