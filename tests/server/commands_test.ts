/** The commands beside `serve`. Each prints its result alone on standard output, and all else on standard error. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { nearest } from "../../lib/server/commands/arguments.ts";
import { describeCommand, describeProgram } from "../../lib/server/commands/help.ts";
import { COMMANDS } from "../../lib/server/commands/table.ts";
import { SCHEMA_VERSION } from "../../lib/stores/sqlite/schema.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { VERSION } from "../../lib/version.ts";
import { KEY, Ledger, ON_FILE } from "../support/server/ledger.ts";
import { runCommand, walk, withServer } from "../support/server/server_process.ts";
import { fillUp, MOUNT_SKIP, withTmpfs } from "../support/system/disk.ts";
import { command, skipUnless, testUnless } from "../support/system/commands.ts";
import { Child } from "../support/system/child.ts";
import { environment, serverCommand } from "../support/server/serve_task.ts";
import { withTempFolder } from "../support/temp.ts";

const PETS = "--store=sqlite:pets.db";

async function makeStore(folder: string, count: number): Promise<void> {
  const store = createSqliteStore(join(folder, "pets.db"), { writer: "same-thread" });
  await Promise.all(
    Array.from({ length: count }, (_, i) => store.create({ name: `Rex ${i}`, categoryId: 7n, status: "sold" })),
  );
  await store.close();
}

function change(path: string, sql: string): void {
  using db = new DatabaseSync(path);
  db.exec(sql);
}

function assertFailure(
  { status, stdout, stderr }: { status: number; stdout: string; stderr: string },
  shows: RegExp,
  wanted = 2,
): void {
  assert.match(stderr, /^petstore: [^\n]+\n$/);
  assert.match(stderr, shows);
  assert.deepEqual([status, stdout], [wanted, ""], stderr);
}

test("--help lists every command, and help and --help show the examples of each, in lines of a terminal's width", () =>
  withTempFolder(async (folder) => {
    const overview = describeProgram(COMMANDS);
    for (const args of [["--help"], ["help"], ["--port=1", "--help"]]) {
      assert.deepEqual(await runCommand(folder, args), { status: 0, stdout: overview, stderr: "" });
    }
    for (const [name, command] of Object.entries(COMMANDS)) {
      assert.ok(overview.includes(`\n  ${name} `), name);
      const help = describeCommand(name, command);
      assert.match(help, /^Examples:\n( {2}.*petstore.*\n)+\nExit status:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n$/m);
      for (const line of help.split("\n")) assert.ok(line.length <= 100, line);
    }
    const { backup } = COMMANDS;
    const help = { status: 0, stdout: describeCommand("backup", backup!), stderr: "" };
    assert.deepEqual(await runCommand(folder, ["backup", "--help"]), help);
    assert.deepEqual(await runCommand(folder, ["help", "backup"]), help);
    assert.deepEqual(await runCommand(folder, ["--version"]), {
      status: 0,
      stdout: `petstore ${VERSION}\n`,
      stderr: "",
    });
    assert.deepEqual(readdirSync(folder), []);
  }));

test("a mistyped command or flag gets the right one suggested, and a word that may be a key is not shown", () =>
  withTempFolder(async (folder) => {
    assertFailure(
      await runCommand(folder, ["bakcup", "x.db"]),
      /did you mean backup\? --help alone lists the commands/,
    );
    assertFailure(await runCommand(folder, ["help", "serv"]), /did you mean serve\?/);
    assertFailure(
      await runCommand(folder, ["check", "--stor=x"]),
      /'--stor'; did you mean --store\? add --help to see the flags of check/,
    );
    assertFailure(await runCommand(folder, ["--prot=1"]), /'--prot'; did you mean --port\?/);
    assertFailure(await runCommand(folder, ["--no-docss"]), /did you mean --no-docs\?/);
    assertFailure(await runCommand(folder, ["check", "--key=k"]), /'--key'; add --help to see the flags of check/);
    const stray = await runCommand(folder, ["pk_secret"]);
    assertFailure(stray, /There is no such command; --help alone lists the commands/);
    assert.ok(!stray.stderr.includes("pk_secret"));
    assert.deepEqual(readdirSync(folder), []);
  }));

test("the suggestion is the candidate with the fewest changes, if they are few", () => {
  const names = ["serve", "openapi", "check", "backup", "help"];
  for (const word of ["sevre", "serv", "server", "sarve"]) assert.equal(nearest(word, names), "serve", word);
  for (const word of ["chekc", "chec", "ckeck"]) assert.equal(nearest(word, names), "check", word);
  for (const word of ["", "x", "stop", "pk_secret", "chocolate"]) assert.equal(nearest(word, names), undefined, word);
});

test("openapi prints what a server has at /openapi.json, with the public address if there is one", () =>
  withTempFolder(async (folder) => {
    const { status, stdout, stderr } = await runCommand(folder, ["openapi"]);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^\{\n {2}"openapi"/);
    await withServer(folder, { args: ["--key=k", "--store=memory:"] }, async ({ ask }) => {
      assert.deepEqual(JSON.parse(stdout), JSON.parse((await ask("/openapi.json", null)).text));
    });
    const url = "https://api.example/v1";
    const byFlag = await runCommand(folder, ["openapi", `--public-url=${url}`]);
    assert.deepEqual(JSON.parse(byFlag.stdout).servers, [{ url }]);
    assert.deepEqual(await runCommand(folder, ["openapi"], { PETSTORE_PUBLIC_URL: url }), byFlag);
    assertFailure(await runCommand(folder, ["openapi", "--public-url=api.example"]), /publicBaseUrl must be/);
  }));

test("check says that a sound file is sound, beside a server and without one, and leaves the folder as it was", () =>
  withTempFolder(async (folder) => {
    await makeStore(folder, 3);
    const sound = {
      status: 0,
      stdout: `sqlite:pets.db is sound: 3 pets, schema version ${SCHEMA_VERSION}\n`,
      stderr: "",
    };
    assert.deepEqual(await runCommand(folder, ["check", PETS]), sound);
    assert.deepEqual(readdirSync(folder), ["pets.db"]);
    await withServer(folder, ON_FILE, async (server) => {
      const files = readdirSync(folder);
      assert.deepEqual(await runCommand(folder, ["check"], { PETSTORE_STORE: "sqlite:pets.db" }), sound);
      assert.deepEqual(readdirSync(folder), files);
      // A server that is killed leaves its log, with pets in it.
      await new Ledger().create(server);
      await server.stop("SIGKILL");
    });
    const files = readdirSync(folder);
    assert.ok(files.includes("pets.db-wal"));
    assert.match((await runCommand(folder, ["check", PETS])).stdout, /is sound: 4 pets/);
    assert.deepEqual(readdirSync(folder), files);
  }));

test("check and backup print JSON if asked, also of a store that is not sound", () =>
  withTempFolder(async (folder) => {
    await makeStore(folder, 3);
    const json = async (...args: string[]) => {
      const { status, stdout, stderr } = await runCommand(folder, [...args, "--json", PETS]);
      return { status, stderr, value: JSON.parse(stdout) };
    };
    const state = { store: "sqlite:pets.db", schemaVersion: SCHEMA_VERSION, pets: 3 };
    const sound = { status: 0, stderr: "", value: { ...state, isSound: true, faults: [] } };
    assert.deepEqual(await json("check"), sound);
    const { bytes, ...copied } = (await json("backup", "copy.db")).value;
    assert.deepEqual([copied, bytes], [{ file: "copy.db", pets: 3 }, readFileSync(join(folder, "copy.db")).length]);
    change(join(folder, "pets.db"), "DROP TRIGGER pet_deleted");
    const { status, value } = await json("check");
    assert.deepEqual([status, value.isSound, value.faults.length], [2, false, 1]);
    assert.match(value.faults[0], /trigger pet_deleted is missing/);
  }));

const UNSOUND: [what: string, damage: (path: string) => void, shows: RegExp][] = [
  [
    "with a table of another program",
    (path) => change(path, "CREATE TABLE notes (text)"),
    /table notes is not of a release/,
  ],
  ["without a trigger", (path) => change(path, "DROP TRIGGER pet_deleted"), /trigger pet_deleted is missing/],
  [
    "with a changed index",
    (path) => change(path, "DROP INDEX pets_by_status; CREATE INDEX pets_by_status ON pets (status, name)"),
    /index pets_by_status was changed by another program/,
  ],
  [
    "with a pet that the service cannot have stored",
    (path) => change(path, "INSERT INTO pets (id, name, category_id, status) VALUES (-7, '', 1, 0)"),
    /^petstore: 1 pet .* id -7$/m,
  ],
  ["of another program", (path) => change(path, "PRAGMA application_id = 7"), /of another program/],
  [
    "of a later release",
    (path) => change(path, "PRAGMA user_version = 9; UPDATE compatibility SET oldest_version = 9"),
    /needs release/,
  ],
  ["that is cut", (path) => truncateSync(path, 12_288), /corrupt|finds damage/],
  ["that is no database", (path) => writeFileSync(path, "Feed Rex at noon. ".repeat(100)), /not an SQLite database/],
  ["with damage in a page", (path) => {
    const bytes = readFileSync(path);
    bytes.fill(0xff, 5 * 4096, 6 * 4096);
    writeFileSync(path, bytes);
  }, /corrupt|finds damage/],
];

for (const [what, damage, shows] of UNSOUND) {
  test(`check finds a file ${what}, with status 2, and changes nothing`, () =>
    withTempFolder(async (folder) => {
      await makeStore(folder, 500);
      damage(join(folder, "pets.db"));
      const before = readFileSync(join(folder, "pets.db"));
      const { status, stdout, stderr } = await runCommand(folder, ["check", PETS]);
      assert.match(stderr, /^(petstore: [^\n]+\n)+$/);
      assert.match(stderr, shows);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.deepEqual(readFileSync(join(folder, "pets.db")), before);
      assert.deepEqual(readdirSync(folder), ["pets.db"]);
    }));
}

test("check and backup refuse a file that is missing or empty, and a store that is no file", () =>
  withTempFolder(async (folder) => {
    for (const args of [["check"], ["backup", "copy.db"]]) {
      assertFailure(await runCommand(folder, [...args, PETS]), /pets\.db does not exist/);
      assertFailure(await runCommand(folder, [...args, "--store=memory:"]), /memory:|Only an SQLite file/);
      assertFailure(await runCommand(folder, [...args, "--store=sqlite:."]), /\. is a folder/);
    }
    change(join(folder, "empty.db"), "VACUUM");
    assertFailure(await runCommand(folder, ["check", "--store=sqlite:empty.db"]), /is an empty database/);
    assertFailure(await runCommand(folder, ["backup", "copy.db", "--store=sqlite:empty.db"]), /is an empty database/);
    assert.deepEqual(readdirSync(folder), ["empty.db"]);
  }));

test("backup copies what a running server has, for its owner alone, and a server starts on the copy", () =>
  withTempFolder(async (folder) => {
    const ledger = new Ledger();
    await withServer(folder, ON_FILE, async (server) => {
      for (let i = 0; i < 5; i++) await ledger.create(server);
      const files = readdirSync(folder);
      const copied = await runCommand(folder, ["backup", "copy.db", PETS]);
      assert.match(copied.stdout, /^copy\.db: 5 pets, \d+ bytes, checked\n$/);
      assert.deepEqual([copied.status, copied.stderr], [0, ""]);
      assert.deepEqual(readdirSync(folder).toSorted(), [...files, "copy.db"].toSorted());
    });
    assert.equal((Deno.statSync(join(folder, "copy.db")).mode ?? 0) & 0o777, 0o600);
    ledger.assertInFile(join(folder, "copy.db"));
    const parts = { args: [`--key=${KEY}`, "--store=sqlite:copy.db"] };
    await withServer(folder, parts, async (server) => assert.deepEqual(await walk(KEY, server), ledger.inOrder()));
  }));

test("backup replaces no file and follows no link, and asks for one name", () =>
  withTempFolder(async (folder) => {
    await makeStore(folder, 1);
    writeFileSync(join(folder, "kept"), "kept");
    symlinkSync("nowhere", join(folder, "link"));
    for (const name of ["kept", "link", "pets.db"]) {
      assertFailure(await runCommand(folder, ["backup", name, PETS]), /exists already; choose another name/);
    }
    assertFailure(await runCommand(folder, ["backup", PETS]), /name of the copy is missing/);
    assertFailure(await runCommand(folder, ["backup", "a", "b", PETS]), /Only one file is expected/);
    assertFailure(await runCommand(folder, ["backup", "no/such/copy.db", PETS]), /no\/such\/copy\.db/);
    assert.deepEqual(readdirSync(folder).toSorted(), ["kept", "link", "pets.db"]);
    assert.equal(readFileSync(join(folder, "kept"), "utf8"), "kept");
  }));

testUnless(MOUNT_SKIP)(
  "a backup on a full disk has status 1, says which disk, and leaves nothing",
  () =>
    withTempFolder(async (folder) => {
      await makeStore(folder, 500);
      await withTmpfs("64k", async (full) => {
        fillUp(join(full, "full"));
        const args = ["backup", join(full, "copy.db"), PETS];
        assertFailure(await runCommand(folder, args), /backup failed: .*(full|no space)/i, 1);
        assert.deepEqual(readdirSync(full), ["full"]);
      });
    }),
);

test("check and backup of a file that another program has locked have status 1", () =>
  withTempFolder(async (folder) => {
    await makeStore(folder, 1);
    using other = new DatabaseSync(join(folder, "pets.db"));
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM pets");
    for (const args of [["check"], ["backup", "copy.db"]]) {
      assertFailure(await runCommand(folder, [...args, PETS]), /is locked by another process/, 1);
    }
    assert.ok(!readdirSync(folder).some((name) => name.startsWith("copy.db")));
  }));

const STRACE = skipUnless(
  ["strace"],
  "the right to trace a process",
  () => command("strace", "-qq", "-o", "/dev/null", "true"),
);

testUnless(STRACE)(
  "backup works on a file system without hard links, and replaces no file there either",
  () =>
    withTempFolder(async (folder) => {
      await makeStore(folder, 1);
      const backup = async (name: string) => {
        const inject = [
          "-f",
          "-qq",
          "-o",
          "/dev/null",
          "-e",
          "trace=link,linkat",
          "-e",
          "inject=link,linkat:error=EPERM",
        ];
        const args = [...inject, ...serverCommand(), "backup", name, PETS];
        await using child = new Child("strace", args, { cwd: folder, clearEnv: true, env: environment() });
        return { status: await child.exit(), ...child.written };
      };
      const { status, stderr } = await backup("copy.db");
      assert.deepEqual([status, stderr], [0, ""]);
      assertFailure(await backup("copy.db"), /exists already/);
      assert.deepEqual(readdirSync(folder).toSorted(), ["copy.db", "pets.db"]);
    }),
);
