/** Every start that must fail says why in one line, prints nothing else, and ends with status 2. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { Child } from "../support/system/child.ts";
import { runServer, SERVER, type ServerParts, withFreshServer, withServer } from "../support/server/server_process.ts";
import { withTempFolder } from "../support/temp.ts";
import { command, testUnless } from "../support/system/commands.ts";

/** A start, and what its one line must show. `prepare` sets up the folder it happens in. */
interface Case extends ServerParts {
  what: string;
  shows: RegExp;
  /** What the line must not show. */
  hides?: string;
  prepare?: (folder: string) => void;
}

const K = "--key=k";
const DIGEST_HALF = `sha256:${"a".repeat(32)}`;

const CASES: Case[] = [
  { what: "a port that is no number", args: ["--port=http"], shows: /"http".*0 to 65535/ },
  { what: "a port that is too large", args: ["--port=65536"], shows: /"65536"/ },
  { what: "a negative port", args: ["--port=-1"], shows: /"-1"/ },
  { what: "a port in the environment that is none", env: { PORT: "8000x" }, shows: /"8000x"/ },
  { what: "an empty port", args: ["--port="], shows: /Port ""/ },
  { what: "a hostname that is none", args: ["--hostname=a b"], shows: /Hostname "a b"/ },
  { what: "a hostname with a scheme", args: ["--hostname=http://x"], shows: /"http:\/\/x"/ },
  {
    what: "a hostname that nobody has",
    args: [K, "--hostname=petstore.invalid", "--port=0"],
    shows: /petstore\.invalid/,
  },
  { what: "an unknown flag", args: ["--prot=1"], shows: /'--prot'.*--help/ },
  { what: "a short flag", args: ["-p", "1"], shows: /'-p'.*--help/ },
  { what: "a stray argument", args: ["pk_stray"], shows: /Only flags.*--help/, hides: "pk_stray" },
  { what: "a flag without its value", args: ["--store"], shows: /--store.*--help/ },
  { what: "a flag whose value is the next flag", args: ["--key", "--port=0"], shows: /--key.*--help/ },
  { what: "a value where none belongs", args: ["--no-access-log=yes"], shows: /--no-access-log.*--help/ },
  { what: "an empty key", args: ["--key="], shows: /key must not be empty/ },
  {
    what: "an empty key between two",
    env: { PETSTORE_KEYS: "pk_a,,pk_b" },
    shows: /key must not be empty/,
    hides: "pk_",
  },
  {
    what: "a key with a space",
    args: ["--key=pk_a b", "--port=0"],
    shows: /key number 1/,
    hides: "pk_",
  },
  { what: "a key with a comma", args: [K, "--key=pk_a,b", "--port=0"], shows: /key number 2/, hides: "pk_" },
  { what: "half a digest", args: [`--key=${DIGEST_HALF}`, "--port=0"], shows: /sha256:.*64/, hides: DIGEST_HALF },
  { what: "an unknown store", args: [K, "--store=redis:x"], shows: /must be memory:, sqlite:<path> or postgres/ },
  { what: "a store without its path", args: [K, "--store=sqlite:"], shows: /sqlite:<path>/ },
  {
    what: "a store with a password",
    args: [K, "--store=mysql://u:hunter2@db/x"],
    shows: /must be memory:/,
    hides: "hunter2",
  },
  {
    what: "a path alone as a store",
    args: [K, "--store=data/x.db"],
    shows: /data\/x\.db .*: sqlite:data\/x\.db for a file/,
  },
  {
    what: "a path of another kind as a store",
    args: [K, "--store=pk_secret"],
    shows: /sqlite:<path>/,
    hides: "pk_secret",
  },
  {
    what: "a database whose path has a line end",
    args: [K, "--store=sqlite:no\nsuch/pets.db"],
    shows: /no\\nsuch\/pets\.db/,
    prepare: (folder) => writeFileSync(join(folder, "no\nsuch"), ""),
  },
  { what: "a device as a database", args: [K, "--store=sqlite:/dev/null"], shows: /\/dev\/null cannot be opened/ },
  {
    what: "a text file of one byte as a database",
    args: [K, "--store=sqlite:notes.txt"],
    shows: /notes\.txt is not an SQLite database; it was left as it is/,
    prepare: (folder) => Deno.writeTextFileSync(`${folder}/notes.txt`, "x"),
  },
  {
    what: "a named pipe as a database",
    args: [K, "--store=sqlite:pipe"],
    shows: /pipe is not a regular file/,
    prepare: (folder) => void command("mkfifo", `${folder}/pipe`),
  },
  { what: "a folder as a database", args: [K, "--store=sqlite:."], shows: /^petstore: \. / },
  {
    what: "a text file as a database",
    args: [K, "--store=sqlite:notes.txt"],
    shows: /notes\.txt.*not an SQLite database/,
    prepare: (folder) => writeFileSync(join(folder, "notes.txt"), "Feed Rex at noon. ".repeat(100)),
  },
  {
    what: "a database of another program",
    args: [K, "--store=sqlite:books.db"],
    shows: /books\.db.*another program/,
    prepare: (folder) => {
      const db = new DatabaseSync(join(folder, "books.db"));
      db.exec("CREATE TABLE books (title TEXT)");
      db.close();
    },
  },
  // Root may write everywhere, but nobody below a file.
  {
    what: "a folder for the key that is a file",
    args: ["--store=memory:"],
    shows: /data\/api-key cannot be/,
    prepare: makeDataFile,
  },
  { what: "a folder for the database that is a file", args: [K], shows: /data/, prepare: makeDataFile },
  {
    what: "a key file that others can read",
    shows: /data\/api-key.*chmod 600/,
    hides: "pk_mine",
    prepare: (folder) => makeKeyFile(folder, "pk_mine", 0o644),
  },
  {
    what: "a key file whose key is none",
    args: ["--port=0"],
    shows: /data\/api-key cannot be used/,
    hides: "mine",
    prepare: (folder) => makeKeyFile(folder, "pk mine", 0o600),
  },
  {
    what: "a CORS origin with a path",
    args: [K, "--cors-origin=https://a.example/x"],
    shows: /"https:\/\/a\.example\/x"/,
  },
  { what: "a public address that is none", args: [K, "--public-url=api.example"], shows: /publicBaseUrl must be/ },
  { what: "a CORS origin that is empty", args: [K, "--cors-origin="], shows: /CORS origin ""/ },
  {
    what: "a star beside a CORS origin",
    args: [K, "--cors-origin=*", "--cors-origin=https://a.example"],
    shows: /"\*"/,
  },
  {
    what: "an access log that is neither on nor off",
    env: { PETSTORE_ACCESS_LOG: "no" },
    shows: /on or off, not "no"/,
  },
];

function makeDataFile(folder: string): void {
  writeFileSync(join(folder, "data"), "");
}

function makeKeyFile(folder: string, text: string, mode: number): void {
  mkdirSync(join(folder, "data"));
  writeFileSync(join(folder, "data", "api-key"), text, { mode });
}

async function assertFails(
  folder: string,
  { shows, hides, ...parts }: Omit<Case, "what" | "prepare">,
  wanted = 2,
): Promise<void> {
  const { args = [], env = {} } = parts;
  // The usual port may be in use by somebody else.
  const hasPort = "PORT" in env || args.some((arg) => arg.startsWith("--port"));
  const { status, stdout, stderr } = await runServer(folder, { env, args: hasPort ? args : ["--port=0", ...args] });
  assert.match(stderr, /^petstore: [^\n]+\n$/);
  assert.match(stderr, shows);
  if (hides !== undefined) assert.ok(!stderr.includes(hides), stderr);
  assert.equal(stdout, "");
  // Deno's own advice, to grant more permissions, is never right.
  assert.ok(!stderr.includes("--allow"), stderr);
  assert.equal(status, wanted);
}

for (const { what, prepare, ...start } of CASES) {
  test(`the server does not start with ${what}`, () =>
    withTempFolder(async (folder) => {
      prepare?.(folder);
      await assertFails(folder, start);
    }));
}

test("the server does not start on an address that this machine does not have, or not yet, with status 1", () =>
  withTempFolder((folder) => assertFails(folder, { args: [K, "--hostname=192.0.2.1"], shows: /192\.0\.2\.1/ }, 1)));

test("the server does not start on a port in use, with status 1, and the server that has it goes on", () =>
  withFreshServer({ args: ["--key=k", "--store=memory:"] }, async ({ port, ask }, folder) => {
    await assertFails(folder, { args: [K, `--port=${port}`, "--store=memory:"], shows: /in use.*--port$/m }, 1);
    assert.equal((await ask("/livez", null)).status, 200);
  }));

test("the server does not start on a database that another program has locked, with status 1", () =>
  withTempFolder(async (folder) => {
    const db = new DatabaseSync(join(folder, "pets.db"));
    db.exec("BEGIN EXCLUSIVE");
    await assertFails(folder, { args: [K, "--store=sqlite:pets.db"], shows: /pets\.db is locked/ }, 1);
    db.close();
  }));

testUnless(
  MOUNT_SKIP,
  "the server does not start on a full disk, with status 1",
  () =>
    withTmpfs("64k", async (folder) => {
      fill(join(folder, "full"));
      await assertFails(folder, { args: [K], shows: /data.*(full|No space)/ }, 1);
      await assertFails(folder, { args: ["--store=memory:"], shows: /data\/api-key.*No space/ }, 1);
    }),
);

for (const size of ["4k", "16k", "32k", "64k"]) {
  testUnless(MOUNT_SKIP, `a first start on a disk of ${size} says so and ends with status 1`, () =>
    withTmpfs(
      size,
      (folder) => assertFails(folder, { args: [K], shows: /the disk is full|No space|cannot be opened/ }, 1),
    ));
}

test("a start on a file that another program writes to, before it has tables, ends with status 1", () =>
  withTempFolder(async (folder) => {
    using other = new DatabaseSync(join(folder, "pets.db"));
    other.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
    await assertFails(folder, { args: [K, "--store=sqlite:pets.db"], shows: /is locked by another process/ }, 1);
  }));

/** Takes all the room that is left. */
function fill(path: string): void {
  using file = Deno.openSync(path, { write: true, createNew: true });
  try {
    for (;;) file.writeSync(new Uint8Array(4096));
  } catch (error) {
    assert.match(String(error), /No space left/);
  }
}

test("a folder that is missing is made for a database, its owner's alone", () =>
  withTempFolder(async (folder) => {
    const args = ["--key=k", "--store=sqlite:var/lib/pets/pets.db"];
    await withServer(folder, { args }, async ({ ask }) => assert.equal((await ask("/readyz", null)).status, 200));
    assert.equal((Deno.statSync(join(folder, "var", "lib", "pets")).mode ?? 0) & 0o777, 0o700);
  }));

test("a start without a permission says which one it lacks, and gives no advice to grant it", () =>
  withTempFolder(async (folder) => {
    for (
      const [missing, flags] of [
        ["net", ["--allow-read", "--allow-write", SERVER, "--key=k", "--store=memory:"]],
        ["write", ["--allow-read", "--allow-net", SERVER, "--store=memory:", "--port=0"]],
        ["read", ["--allow-write", "--allow-net", SERVER, "--store=memory:", "--port=0"]],
      ] as const
    ) {
      await using child = new Child(Deno.execPath(), ["run", "--no-prompt", "--no-config", ...flags], { cwd: folder });
      assert.equal(await child.exit(), 2);
      const line = child.written.stderr;
      assert.match(line, /^petstore: [^\n]+ Requires \w+ access to "[^\n]+", which the server was started without\n$/);
      assert.ok(line.includes(`Requires ${missing} access`), line);
    }
  }));

test("a start that fails leaves a database of another program as it was", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "books.db");
    const db = new DatabaseSync(path);
    db.exec("PRAGMA user_version = 1; CREATE TABLE pets (title TEXT)");
    db.close();
    const before = Deno.readFileSync(path);
    await assertFails(folder, { args: [K, "--store=sqlite:books.db"], shows: /another program/ });
    assert.deepEqual(Deno.readFileSync(path), before);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["books.db"]);
  }));

test("a first start that fails shows its new key with the next start", () =>
  withTempFolder(async (folder) => {
    await assertFails(folder, { args: ["--port=0", "--hostname=192.0.2.1"], shows: /192\.0\.2\.1/ }, 1);
    await withServer(folder, {}, ({ written }) => {
      // Nobody has seen the key yet, whichever start has made it.
      assert.ok(written.stdout.includes(Deno.readTextFileSync(join(folder, "data", "api-key")).trim()));
    });
  }));
