/** A start that must fail says why in one line, prints nothing else, and exits with 2. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "../../lib/stores/sqlite/create_sqlite_store.ts";
import { StoreUnavailableError } from "../../lib/stores/store.ts";
import { createMemoryStore } from "../../mod.ts";
import { fillUp, MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { Child } from "../support/system/child.ts";
import { inFolder, runHere, test, withServerHere } from "../support/server/in_process.ts";
import { readKey } from "../support/server/server_process.ts";
import { ON_NODE, onDenoAlone, SERVER } from "../support/server/serve_task.ts";
import { startWithoutSocket } from "../support/server/without_socket.ts";
import { execute } from "../support/database.ts";
import { withTempFolder } from "../support/temp.ts";
import { testUnless } from "../support/system/commands.ts";

const K = "--key=k";

/** Each start by its flags or its environment, with the text of its one line, and what is in the folder before. */
const CASES: [what: string, start: string[] | Record<string, string>, shows: RegExp, prepare?: () => void][] = [
  ["a port that is not a number", ["--port=http"], /--port must be a number from 0 to 65535, not "http"/],
  ["an invalid hostname", ["--hostname=a b"], /--hostname must be an address or a name/],
  ["a hostname with a port", [K, "--hostname=0.0.0.0:80"], /--hostname must be an address or a name/],
  ["a hostname that does not resolve", [K, "--hostname=petstore.invalid"], /petstore\.invalid/],
  ["a short flag", ["--key=pk_right", "-p", "1"], /Unknown option '-p'; add --help/],
  ["a stray argument", ["pk_stray"], /Only flags.*--help/],
  ["a flag without its value", ["--store"], /: Option '--store <value>' argument missing; .*--help/],
  ["an empty key", ["--key="], /key must not be empty/],
  ["an empty key between two", { PETSTORE_KEYS: "pk_a,,pk_b" }, /key must not be empty/],
  ["a comment among keys", { PETSTORE_KEYS: "#pk_a,pk_b" }, /An API key is a comment, /],
  ["a key with a space", ["--key=pk_a b"], /key number 1/],
  ["half a digest", [`--key=sha256:pk_${"a".repeat(29)}`], /sha256:.*64/],
  ["an unknown store", [K, "--store=redis:x"], /must be memory:, sqlite:<path> or postgres/],
  ["a store without its path", [K, "--store=sqlite:"], /sqlite:<path>/],
  ["a store as SQLAlchemy writes it", [K, "--store=sqlite:///pets.db"], /without \/\/: sqlite:pets\.db/],
  ["a store with parameters", [K, "--store=sqlite:pets.db?mode=ro"], /takes no parameters/],
  ["a store with a password", [K, "--store=mysql://u:pk_secret@db/x"], /must be memory:/],
  ["a path alone as a store", [K, "--store=data/x.db"], /data\/x\.db .*: sqlite:data\/x\.db for a file/],
  [
    "a database whose path has a line end",
    [K, "--store=sqlite:no\nsuch/pets.db"],
    /must not contain control characters/,
  ],
  ["a folder as a database", ["--key=pk_right", "--store=sqlite:."], /^petstore: \. /],
  ["a database of another program", [K, "--store=sqlite:books.db"], /books\.db.*another program/, () => {
    execute("books.db", "PRAGMA user_version = 1; CREATE TABLE pets (title TEXT)");
  }],
  // Even root cannot write below a file.
  ["a file as the folder for the key", ["--store=sqlite:pets.db"], /data\/api-key cannot be/, makeDataFile],
  ["a file as the folder for the database", [K], /data/, makeDataFile],
  ["a key file that others can read", [], /data\/api-key.*chmod 600/, () => {
    mkdirSync("data");
    writeFileSync("data/api-key", "pk_mine", { mode: 0o644 });
  }],
  [
    "a CORS origin with a path",
    [K, "--cors-origin=https://a.example/x"],
    /--cors-origin must be .*, not "https:.*\/x"/,
  ],
  ["a second origin that is none", { PETSTORE_CORS_ORIGINS: "*,a" }, /PETSTORE_CORS_ORIGINS must be .*, not "a"/],
  ["an invalid public address", [K, "--public-url=api.example"], /--public-url must be an address .*, not "api/],
  ["a log that does not exist", { PETSTORE_LOG: "on" }, /PETSTORE_LOG must be text, json or off, not "on"/],
  ["an address of metrics without a port", [K, "--metrics=127.0.0.1"], /--metrics must be an address and a port/],
  ["a page that is neither on nor off", { PETSTORE_DOCS: "no" }, /PETSTORE_DOCS must be on or off, not "no"/],
];

function makeDataFile(): void {
  writeFileSync("data", "");
}

async function assertFails(start: string[] | Record<string, string>, shows: RegExp, wanted = 2): Promise<void> {
  const [args, env] = Array.isArray(start) ? [start, {}] : [[], start];
  const { status, stdout, stderr } = await runHere(["serve", ...args], { PORT: "0", ...env });
  assert.match(stderr, /^petstore: [^\n]+\n$/);
  assert.match(stderr, shows);
  assert.doesNotMatch(stderr, /pk_/);
  assert.deepEqual([stdout, status], ["", wanted]);
}

/** What the runtime says of a name or a file. On Node, where each case takes a process, the others would show nothing new. */
const OF_THE_RUNTIME = /hostname|folder|file|database/;

for (const [what, start, shows, prepare] of CASES) {
  if (ON_NODE && !OF_THE_RUNTIME.test(what)) continue;
  test.inFolder(`the server does not start with ${what}`, async () => {
    prepare?.();
    const before = readFiles();
    await assertFails(start, shows);
    for (const [name, bytes] of before) assert.deepEqual(readFiles().get(name), bytes, name);
  });
}

/** What anyone could guess: an env file, references to a vault that nothing has resolved, missing values, and misspelt digests. */
const MISTAKEN_KEYS = [
  "API_KEY=pk_a",
  "op://pk_vault/item",
  "None",
  "@Microsoft.KeyVault(pk_a)",
  `Sha256:${"0".repeat(64)}`,
];

test.inFolder("the server does not start with a key that is a mistake", async () => {
  for (const key of MISTAKEN_KEYS) await assertFails([`--key=${key}`], /a reference that nothing has resolved/);
});

function readFiles(): Map<string, Uint8Array> {
  const files = [...Deno.readDirSync(".")].filter(({ isFile }) => isFile);
  return new Map(files.map(({ name }) => [name, Deno.readFileSync(name)]));
}

test.inFolder("the server does not start on a file whose table of keys is damaged, which each request reads", async () => {
  await createSqliteStore("pets.db").close();
  const db = new DatabaseSync("pets.db");
  const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'api_keys'").get() as {
    rootpage: number;
  };
  db.close();
  const file = readFileSync("pets.db");
  writeFileSync("pets.db", file.fill(0, (rootpage - 1) * 4096, rootpage * 4096));
  await assertFails([K, "--store=sqlite:pets.db"], /pets\.db is corrupt/);
});

for (const [flag, address] of [["--port", ""], ["--metrics", "127.0.0.1:"]] as const) {
  test.inFolder(`a start on a port that ${flag} names and that is in use says how to get another, with status 1`, async (folder) => {
    using socket = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = socket.addr as Deno.NetAddr;
    const { status, stdout, stderr } = await runHere(["--port=0", flag, `${address}${port}`]);
    const reason = `the port is in use; choose another by ${flag}, or 0 for a free one`;
    assert.deepEqual([status, stdout, stderr], [1, "", `petstore: Cannot listen on 127.0.0.1:${port}: ${reason}\n`]);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
}

testUnless(MOUNT_SKIP)("the server does not start on a full disk, with status 1", () =>
  inFolder(async (root) => {
    for (const size of ["4k", "32k"]) {
      await withTmpfs(size, async (folder) => {
        process.chdir(folder);
        await assertFails([K], /the disk is full|no space|cannot be opened/i, 1);
        rmSync("data", { recursive: true, force: true });
        fillUp("full");
        await assertFails([K], /data.*(full|no space)/i, 1);
        process.chdir(root);
      });
    }
  }));

testUnless(onDenoAlone("permissions to lack"))(
  "a start without a permission says which one it lacks, and gives no advice to grant it",
  () =>
    withTempFolder(async (folder) => {
      const grants = { net: ["read", "write"], write: ["read", "net"], read: ["write", "net"] };
      for (const [missing, granted] of Object.entries(grants)) {
        const key = missing === "net" ? ["--key=k"] : ["--port=0"];
        const flags = [...granted.map((name) => `--allow-${name}`), SERVER, "--store=sqlite:data/pets.db", ...key];
        await using child = new Child(Deno.execPath(), ["run", "--no-prompt", "--no-config", ...flags], {
          cwd: folder,
        });
        assert.equal(await child.exit(), 2);
        const shows = missing === "net"
          ? /^petstore: [^\n]+ Requires net access to "[^\n]+", which the server was started without\n$/
          : /^petstore: data\/(pets\.db|api-key) cannot be (opened|used): (the program lacks Deno's permission for it|Requires (read|write) access to "[^\n]+", which the server was started without)\n$/;
        assert.match(child.written.stderr, shows);
      }
    }),
);

test.inFolder("a first start that fails, on an address that this machine lacks, shows its new key with the next start", async () => {
  await assertFails(["--hostname=192.0.2.1"], /192\.0\.2\.1/, 1);
  // No start has shown the key yet.
  await withServerHere({}, ({ written }) => assert.ok(written.stdout.includes(readKey("."))));
});

test("a start that fails after it has listened closes its socket and its store, and says that the store is new", async () => {
  const calls: string[] = [];
  const note = (call: string) => () => Promise.resolve(void calls.push(call));
  const store = Object.assign(createMemoryStore(), {
    isNew: true,
    check: () => Promise.reject(new StoreUnavailableError("down")),
    close: note("close"),
  });
  const listener = { stop: note("stop"), finish: note("finish") };
  const start = startWithoutSocket([K], store, listener, (line) => calls.push(line));
  await assert.rejects(start, { message: "down" });
  assert.deepEqual(calls, ["petstore: the store is new", "close", "stop", "finish"]);
});
