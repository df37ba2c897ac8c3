/** A start that must fail says why in one line, prints nothing else, and exits with 2. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fillUp, MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { Child } from "../support/system/child.ts";
import { inFolder, runHere, test, withServerHere } from "../support/server/in_process.ts";
import { readKey } from "../support/server/server_process.ts";
import { ON_NODE, onDenoAlone, SERVER } from "../support/server/serve_task.ts";
import { withTempFolder } from "../support/temp.ts";
import { testUnless } from "../support/system/commands.ts";

const testMounted = testUnless(MOUNT_SKIP);

/** The flags or the environment, the text of the one line, the text it must hide, and the folder before the start. */
type Case = [
  what: string,
  start: string[] | Record<string, string>,
  shows: RegExp,
  more?: { hides?: string; prepare?: (folder: string) => void },
];

const K = "--key=k";
const DIGEST_HALF = `sha256:${"a".repeat(32)}`;

const CASES: Case[] = [
  ["a port that is not a number", ["--port=http"], /--port must be a number from 0 to 65535, not "http"/],
  ["a port in the environment that is not a number", { PORT: "8000x" }, /: PORT must be .* not "8000x"/],
  ["an invalid hostname", ["--hostname=a b"], /--hostname must be an address or a name/],
  ["a hostname with a port", [K, "--hostname=0.0.0.0:80"], /--hostname must be an address or a name/],
  ["a hostname that does not resolve", [K, "--hostname=petstore.invalid"], /petstore\.invalid/],
  ["a short flag", ["--key=pk_right", "-p", "1"], /Unknown option '-p'; add --help/, { hides: "pk_" }],
  ["a stray argument", ["pk_stray"], /Only flags.*--help/, { hides: "pk_stray" }],
  ["a flag without its value", ["--store"], /: Option '--store <value>' argument missing; .*--help/],
  ["a flag whose value is the next flag", ["--key"], /: Option '--key <value>' argument missing; .*--help/],
  ["a value where none belongs", ["--docs=off"], /: Option '--docs' does not take an argument; add --help/],
  ["an empty key", ["--key="], /key must not be empty/],
  ["an empty key between two", { PETSTORE_KEYS: "pk_a,,pk_b" }, /key must not be empty/, { hides: "pk_" }],
  ["a comment among keys", { PETSTORE_KEYS: "#pk_a,pk_b" }, /An API key is a comment, /, { hides: "pk_" }],
  ["a line of an env file", { PETSTORE_KEYS: "API_KEY=pk_a" }, /a line NAME=value/, { hides: "pk_" }],
  ["a reference to a vault", ["--key=op://pk_vault/item"], /a reference that nothing has resolved/, { hides: "pk_" }],
  ["a missing value", [`--key=None`], /a reference that nothing has resolved/],
  ["a digest with another prefix", [`--key=Sha256:${"0".repeat(64)}`], /that nothing has resolved/],
  ["a reference of Azure", ["--key=@Microsoft.KeyVault(pk_a)"], /that nothing has resolved/, { hides: "pk_" }],
  ["a key with a space", ["--key=pk_a b"], /key number 1/, { hides: "pk_" }],
  ["half a digest", [`--key=${DIGEST_HALF}`], /sha256:.*64/, { hides: DIGEST_HALF }],
  ["an unknown store", [K, "--store=redis:x"], /must be memory:, sqlite:<path> or postgres/],
  ["a store without its path", [K, "--store=sqlite:"], /sqlite:<path>/],
  ["a store as SQLAlchemy writes it", [K, "--store=sqlite:///pets.db"], /without \/\/: sqlite:pets\.db/],
  ["a store with a host", [K, "--store=sqlite://pets.db"], /without \/\/: sqlite:pets\.db/],
  ["a store with parameters", [K, "--store=sqlite:pets.db?mode=ro"], /takes no parameters/],
  ["a store with a password", [K, "--store=mysql://u:hunter2@db/x"], /must be memory:/, { hides: "hunter2" }],
  ["a path alone as a store", [K, "--store=data/x.db"], /data\/x\.db .*: sqlite:data\/x\.db for a file/],
  ["a path of another kind as a store", [K, "--store=pk_secret"], /sqlite:<path>/, { hides: "pk_secret" }],
  [
    "a database whose path has a line end",
    [K, "--store=sqlite:no\nsuch/pets.db"],
    /--store must not contain control characters/,
    {
      prepare: (folder) => writeFileSync(join(folder, "no\nsuch"), ""),
    },
  ],
  ["a folder as a database", ["--key=pk_right", "--store=sqlite:."], /^petstore: \. /, { hides: "pk_" }],
  ["a database of another program", [K, "--store=sqlite:books.db"], /books\.db.*another program/, {
    prepare(folder) {
      using db = new DatabaseSync(join(folder, "books.db"));
      db.exec("PRAGMA user_version = 1; CREATE TABLE pets (title TEXT)");
    },
  }],
  // Even root cannot write below a file.
  ["a folder for the key that is a file", ["--store=sqlite:pets.db"], /data\/api-key cannot be/, {
    prepare: makeDataFile,
  }],
  ["a folder for the database that is a file", [K], /data/, { prepare: makeDataFile }],
  ["a key file that is a folder", [], /data\/api-key must be a regular file/, {
    prepare: (folder) => mkdirSync(join(folder, "data", "api-key"), { recursive: true }),
  }],
  [
    "a key file that is a link to itself",
    [],
    /data\/api-key must be a regular file, and its symbolic links lead in a circle/,
    {
      prepare(folder) {
        mkdirSync(join(folder, "data"), { mode: 0o700 });
        symlinkSync("api-key", join(folder, "data", "api-key"));
      },
    },
  ],
  ["a key file that others can read", [], /data\/api-key.*chmod 600/, {
    hides: "pk_mine",
    prepare(folder) {
      mkdirSync(join(folder, "data"));
      writeFileSync(join(folder, "data", "api-key"), "pk_mine", { mode: 0o644 });
    },
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

function makeDataFile(folder: string): void {
  writeFileSync(join(folder, "data"), "");
}

async function assertFails(
  args: readonly string[],
  { shows, hides, env = {}, status: wanted = 2 }: {
    shows: RegExp;
    hides?: string | undefined;
    env?: Record<string, string>;
    status?: number;
  },
): Promise<void> {
  const { status, stdout, stderr } = await runHere(["serve", ...args], { PORT: "0", ...env });
  assert.match(stderr, /^petstore: [^\n]+\n$/);
  assert.match(stderr, shows);
  if (hides !== undefined) assert.ok(!stderr.includes(hides), stderr);
  assert.deepEqual([stdout, status], ["", wanted]);
}

/** What the runtime says of a name or a file. On Node, where each case takes a process, the others would show nothing new. */
const OF_THE_RUNTIME = /hostname|folder|file|database/;

for (const [what, start, shows, { hides, prepare } = {}] of CASES) {
  if (ON_NODE && !OF_THE_RUNTIME.test(what)) continue;
  test.inFolder(`the server does not start with ${what}`, async (folder) => {
    prepare?.(folder);
    const before = readFiles(folder);
    const [args, env] = Array.isArray(start) ? [start, {}] : [[], start];
    await assertFails(args, { env, shows, hides });
    for (const [name, bytes] of before) assert.deepEqual(readFiles(folder).get(name), bytes, name);
  });
}

function readFiles(folder: string): Map<string, Uint8Array> {
  const files = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile);
  return new Map(files.map(({ name }) => [name, Deno.readFileSync(join(folder, name))]));
}

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

testMounted("the server does not start on a full disk, with status 1", () =>
  inFolder(async (root) => {
    for (const size of ["4k", "16k", "32k", "64k"]) {
      await withTmpfs(size, async (folder) => {
        process.chdir(folder);
        const status = 1;
        await assertFails([K], { shows: /the disk is full|no space|cannot be opened/i, status });
        rmSync("data", { recursive: true, force: true });
        fillUp(join(folder, "full"));
        await assertFails([K], { shows: /data.*(full|no space)/i, status });
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
  await assertFails(["--hostname=192.0.2.1"], { shows: /192\.0\.2\.1/, status: 1 });
  // No start has shown the key yet.
  await withServerHere({}, ({ written }) => assert.ok(written.stdout.includes(readKey("."))));
});
