/** The commands beside `serve`. Each prints its result alone on standard output, and all else on standard error. */

import assert from "node:assert/strict";
import { chmodSync, copyFileSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import config from "../../deno.json" with { type: "json" };
import { nearest } from "../../lib/server/commands/arguments.ts";
import { describeCommand, describeProgram } from "../../lib/server/commands/help.ts";
import { COMMANDS } from "../../lib/server/commands/table.ts";
import { asCalled, programName } from "../../lib/server/process.ts";
import { SCHEMA_VERSION } from "../../lib/stores/sqlite/schema.ts";
import { createSqliteStore } from "../../lib/stores/sqlite/sqlite_store.ts";
import { serverOpenApiOf } from "../support/descriptions.ts";
import { inFolder, runHere } from "../support/server/in_process.ts";
import { KEY, Ledger, ON_FILE } from "../support/server/ledger.ts";
import { assertRefused } from "../support/server/pet_files.ts";
import { runCommand, walk, withServer } from "../support/server/server_process.ts";
import { environment, ON_NODE, serverCommand } from "../support/server/serve_task.ts";
import { fillUp, MOUNT_SKIP, overwrite, withTmpfs } from "../support/system/disk.ts";
import { command, skipUnless, testUnless } from "../support/system/commands.ts";
import { Child } from "../support/system/child.ts";
import { withTempFolder } from "../support/temp.ts";

const PETS = "--store=sqlite:pets.db";

async function makeStore(count: number, folder = "."): Promise<void> {
  const store = createSqliteStore(join(folder, "pets.db"), { writer: "same-thread" });
  // At once, so that they share a commit.
  const drafts = Array.from(
    { length: count },
    (_, i) => ({ name: `Rex ${i}`, categoryId: 7n, status: "sold" as const }),
  );
  await Promise.all(drafts.map((draft) => store.create(draft)));
  await store.close();
}

function change(path: string, sql: string): void {
  using db = new DatabaseSync(path);
  db.exec(sql);
}

/** Fails unless each command line fails with one line, and makes no file. */
async function assertAllRefused(lines: readonly [args: string[], shows: RegExp][]): Promise<void> {
  const before = readdirSync(".");
  for (const [args, shows] of lines) {
    assertRefused(await runHere(args), shows);
    assert.deepEqual(readdirSync("."), before, args.join(" "));
  }
}

test("--help lists every command, and help and --help show the examples of each, in lines of a terminal's width", () =>
  inFolder(async () => {
    // On Node the commands have a process, which names itself.
    const prints = (text: string) => {
      return { status: 0, stdout: ON_NODE ? asCalled(text, serverCommand().at(-1)) : text, stderr: "" };
    };
    const overview = describeProgram(COMMANDS);
    for (const args of [["--help"], ["help"], ["--port=1", "--help"]]) {
      assert.deepEqual(await runHere(args), prints(overview));
    }
    for (const [name, command] of Object.entries(COMMANDS)) {
      assert.ok(overview.includes(`\n  ${name} `), name);
      const help = describeCommand(name, command);
      assert.match(help, /^Examples:\n( {2}.*petstore.*\n)+\nExit status:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n$/m);
      for (const line of help.split("\n")) assert.ok(line.length <= 100, line);
      assert.deepEqual(await runHere([...name.split(" "), "--help"]), prints(help));
      assert.deepEqual(await runHere(["help", ...name.split(" ")]), prints(help));
    }
    assert.deepEqual(await runHere(["--version"]), prints(`petstore ${config.version}\n`));
    assert.deepEqual(readdirSync("."), []);
  }));

test("commands in help texts and messages begin as the user has called the program", () => {
  const scripts: [path: string, isRunByNpx: boolean, name: string][] = [
    ["/home/a/petstore/server.ts", false, "deno task petstore"],
    [join(process.cwd(), "lib/server/node/main.ts"), false, "node lib/server/node/main.ts"],
    ["/home/a/app/node_modules/.bin/petstore", true, "npx @petstore/petstore"],
    ["/usr/local/bin/petstore", false, "petstore"],
  ];
  for (const [path, isRunByNpx, name] of scripts) assert.equal(programName(path, isRunByNpx), name);
  for (const name of [...Object.keys(COMMANDS), "help"]) {
    assert.equal(asCalled(`petstore ${name}`, "server.ts"), `deno task petstore ${name}`);
  }
  for (const text of ["petstore: /data/petstore check/x.db is a folder", "petstore checks", "petstore.db check"]) {
    assert.equal(asCalled(text, "server.ts"), text);
  }
});

test("a mistyped command or flag gets the right one suggested, and a word that may be a key is not shown", () =>
  inFolder(async () => {
    await assertAllRefused([
      [["bakcup", "x.db"], /did you mean backup\? --help alone lists the commands/],
      [["help", "serv"], /did you mean serve\?/],
      [["check", "--stor=x"], /There is no flag --stor; did you mean --store\?; add --help to see the flags of check/],
      [["--prot=1"], /no flag --prot; did you mean --port\?/],
      [["key", "list"], /did you mean keys list\?/],
      [["keys", "rotate", "x", "--overlap", "-1d"], /: --overlap needs a value; .* as in --overlap=-1/],
      [["keys", "rotate", "x", "--overlap=-1d"], /--overlap must be a time such as .*, not "-1d"/],
      [["--no-docss"], /did you mean --no-docs\?/],
      [["check", "--key=k"], /no flag --key; add --help to see the flags of check/],
      [["pk_secret"], /^petstore: There is no such command; --help alone lists the commands\n$/],
    ]);
    const names = ["serve", "openapi", "check", "backup", "help"];
    for (const word of ["sevre", "serv", "server", "sarve"]) assert.equal(nearest(word, names), "serve", word);
    for (const word of ["chekc", "chec", "ckeck"]) assert.equal(nearest(word, names), "check", word);
    for (const word of ["", "x", "stop", "pk_secret", "chocolate"]) assert.equal(nearest(word, names), undefined, word);
  }));

test("openapi prints what a server has at /openapi.json, with the public address if there is one", () =>
  withTempFolder(async (folder) => {
    const { status, stdout, stderr } = await runCommand(folder, ["openapi"]);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^\{\n {2}"openapi"/);
    assert.deepEqual(JSON.parse(stdout), serverOpenApiOf({ requestIds: "failures" }));
    const url = "https://api.example/v1";
    const byFlag = await runHere(["openapi", `--public-url=${url}`]);
    assert.deepEqual(JSON.parse(byFlag.stdout).servers, [{ url }]);
    assert.deepEqual(await runHere(["openapi"], { PETSTORE_PUBLIC_URL: url }), byFlag);
    assertRefused(await runHere(["openapi", "--public-url=api.example"]), /--public-url must be/);
  }));

test("check says that a sound file is sound, beside a server and without one, and leaves the folder as it was", () =>
  inFolder(async (folder) => {
    await makeStore(3);
    const stdout = `sqlite:pets.db is sound: 3 pets, schema version ${SCHEMA_VERSION}\n`;
    const sound = { status: 0, stdout, stderr: "" };
    assert.deepEqual(await runCommand(folder, ["check", PETS]), sound);
    assert.deepEqual(readdirSync(folder), ["pets.db"]);
    await withServer(folder, ON_FILE, async (server) => {
      const files = readdirSync(folder);
      assert.deepEqual(await runHere(["check"], { PETSTORE_STORE: "sqlite:pets.db" }), sound);
      assert.deepEqual(readdirSync(folder), files);
      // A server that is killed leaves its log, with pets in it.
      await new Ledger().create(server);
      await server.stop("SIGKILL");
    });
    const files = readdirSync(folder);
    assert.ok(files.includes("pets.db-wal"));
    assert.match((await runHere(["check", PETS])).stdout, /is sound: 4 pets/);
    assert.deepEqual(readdirSync(folder), files);
  }));

test("check and backup print JSON if asked, also of a store that is not sound", () =>
  inFolder(async () => {
    await makeStore(3);
    const json = async (...args: string[]) => {
      const { status, stdout } = await runHere([...args, "--json", PETS]);
      return { status, value: JSON.parse(stdout) };
    };
    const state = { store: "sqlite:pets.db", schemaVersion: SCHEMA_VERSION, pets: 3 };
    assert.deepEqual(await json("check"), { status: 0, value: { ...state, isSound: true, faults: [] } });
    const { bytes, ...copied } = (await json("backup", "copy.db")).value;
    assert.deepEqual([copied, bytes], [{ file: "copy.db", pets: 3 }, readFileSync("copy.db").length]);
    change("pets.db", "DROP TRIGGER pet_deleted");
    const { status, value } = await json("check");
    assert.deepEqual([status, value.isSound, value.faults.length], [2, false, 1]);
    assert.match(value.faults[0], /trigger pet_deleted is missing/);
  }));

/** What SQL makes of a sound file, and what check says about it. */
const CHANGES: [sql: string, shows: RegExp][] = [
  ["CREATE TABLE notes (text)", /table notes is not of a release/],
  ["DROP TRIGGER pet_deleted", /trigger pet_deleted is missing/],
  [
    "DROP INDEX pets_by_status; CREATE INDEX pets_by_status ON pets (status, name)",
    /index pets_by_status was changed by another program/,
  ],
  ["INSERT INTO pets (id, name, category_id, status) VALUES (-7, '', 1, 0)", /^petstore: 1 pet .* id -7$/m],
  ["PRAGMA application_id = 7", /of another program/],
  ["PRAGMA user_version = 9; UPDATE compatibility SET oldest_version = 9", /needs release/],
];

const UNSOUND: [what: string, damage: () => void, shows: RegExp][] = [
  ...CHANGES.map(([sql, shows]) => [`after ${sql}`, () => change("pets.db", sql), shows] as typeof UNSOUND[number]),
  ["that is cut", () => truncateSync("pets.db", 12_288), /corrupt|finds damage/],
  ["that is no database", () => writeFileSync("pets.db", "Feed Rex at noon. ".repeat(100)), /not an SQLite database/],
  ["with damage in a page", () => {
    const bytes = readFileSync("pets.db");
    bytes.fill(0xff, 5 * 4096, 6 * 4096);
    writeFileSync("pets.db", bytes);
  }, /corrupt|finds damage/],
];

for (const [what, damage, shows] of UNSOUND) {
  test(`check finds a file ${what}, with status 2, and changes nothing`, () =>
    inFolder(async () => {
      await makeStore(500);
      damage();
      const before = readFileSync("pets.db");
      const { status, stdout, stderr } = await runHere(["check", PETS]);
      assert.match(stderr, /^(petstore: [^\n]+\n)+$/);
      assert.match(stderr, shows);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.deepEqual(readFileSync("pets.db"), before);
      assert.deepEqual(readdirSync("."), ["pets.db"]);
    }));
}

/** Overwrites the page on which the table of a file begins. */
function damageTable(name: string): void {
  using db = new DatabaseSync("pets.db");
  const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.["rootpage"]);
  db.close();
  overwrite("pets.db", (root - 1) * 4096, 4096);
}

test("a damaged file is told in one sentence by each command, with its name and what to do", () =>
  inFolder(async () => {
    await makeStore(500);
    damageTable("api_keys");
    const sentence = /pets\.db is corrupt; restore it from a backup$/m;
    for (const args of [["keys", "list"], ["keys", "revoke", "key-1"], ["serve", "--port=0"], ["backup", "copy.db"]]) {
      assertRefused(await runHere([...args, PETS]), sentence);
    }
    damageTable("pets");
    for (const args of [["export"], ["backup", "copy.db"]]) assertRefused(await runHere([...args, PETS]), sentence);
    assert.deepEqual(readdirSync("."), ["pets.db"]);
  }));

test("check and backup refuse a file that is missing or empty, and a store that is no file", () =>
  inFolder(async () => {
    change("empty.db", "VACUUM");
    for (const args of [["check"], ["backup", "copy.db"]]) {
      await assertAllRefused([
        [[...args, PETS], /pets\.db does not exist/],
        [[...args, "--store=memory:"], /memory:|Only an SQLite file/],
        [[...args, "--store=sqlite:."], /\. is a folder/],
        [[...args, "--store=sqlite:empty.db"], /is an empty database/],
      ]);
    }
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
  inFolder(async () => {
    await makeStore(1);
    writeFileSync("kept", "kept");
    symlinkSync("nowhere", "link");
    const exists = /exists already; choose another name/;
    await assertAllRefused([
      ...["kept", "link", "pets.db"].map((name) => [["backup", name, PETS], exists] as [string[], RegExp]),
      [["backup", PETS], /name of the copy is missing/],
      [["backup", "a", "b", PETS], /Only one file is expected/],
      [["backup", "no/such/copy.db", PETS], /no\/such\/copy\.db cannot be made, because there is no folder no\/such\n/],
    ]);
    assert.equal(readFileSync("kept", "utf8"), "kept");
  }));

test("backup refuses a name beside which there is a log, and the name of a log: SQLite would replay it into a database", () =>
  inFolder(async () => {
    await makeStore(1);
    for (const end of ["-wal", "-shm", "-journal"]) {
      writeFileSync(`copy${end}.db${end}`, "a log");
      await assertAllRefused([
        [
          ["backup", `copy${end}.db`, PETS],
          /would be taken for a log of copy-\w+\.db; remove it, or choose another name/,
        ],
        [["backup", `pets.db${end}`, PETS], /SQLite keeps the log of a database in a file named …-\w+; choose another/],
      ]);
    }
  }));

testUnless(MOUNT_SKIP)(
  "a backup on a full disk has status 1, says which disk, and leaves nothing",
  () =>
    inFolder(async () => {
      await makeStore(500);
      await withTmpfs("64k", async (full) => {
        fillUp(join(full, "full"));
        assertRefused(await runHere(["backup", join(full, "copy.db"), PETS]), /backup failed: .*(full|no space)/i, 1);
        assert.deepEqual(readdirSync(full), ["full"]);
      });
    }),
);

testUnless(MOUNT_SKIP)(
  "a backup on a read-only mount is checked, exported and copied there, and so is a server's own file on a runtime that takes URLs",
  () =>
    inFolder(async (folder) => {
      await makeStore(3);
      await withTmpfs("4m", async (mount, remount) => {
        assert.equal((await runHere(["backup", join(mount, "copy.db"), PETS])).status, 0);
        copyFileSync("pets.db", join(mount, "pets.db"));
        remount("ro");
        // Deno takes a URL only with all permissions, which the tests have and the task has not.
        for (const [name, run] of [["copy.db", runCommand.bind(undefined, folder)], ["pets.db", runHere]] as const) {
          const store = `--store=sqlite:${join(mount, name)}`;
          for (const [i, args] of [["check"], ["keys", "list"], ["export"], ["backup", `${name}.backup`]].entries()) {
            const { status, stdout, stderr } = await run([...args, store]);
            assert.deepEqual([status, stderr], [0, ""]);
            if (i === 0) assert.match(stdout, /is sound: 3 pets/);
          }
        }
        assert.deepEqual(readdirSync(mount).toSorted(), ["copy.db", "pets.db"]);
      });
    }),
);

/** Root's right to use files whatever their mode is given up. */
const LIMITED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];

testUnless(skipUnless(["setpriv"], "the right to give up rights", () => command(LIMITED[0]!, LIMITED[1]!, "true")))(
  "a user who may not read a file, or not write the log that SQLite needs beside it, is told so",
  () =>
    inFolder(async (folder) => {
      await makeStore(1);
      const check = async (mode: number): Promise<string> => {
        chmodSync("pets.db", mode);
        const args = [...LIMITED.slice(1), ...serverCommand(), "check", PETS];
        await using child = new Child(LIMITED[0]!, args, { cwd: folder, clearEnv: true, env: environment() });
        assert.equal(await child.exit(), 2);
        return child.written.stderr;
      };
      assert.match(await check(0o000), /^petstore: pets\.db cannot be opened; it must be readable, and its folder/);
      chmodSync(folder, 0o500);
      try {
        assert.match(
          await check(0o400),
          /^petstore: .*pets\.db can only be read by a user who may write to it and its/,
        );
      } finally {
        chmodSync(folder, 0o700);
      }
    }),
);

test("check and backup of a file that another program has locked have status 1", () =>
  inFolder(async (folder) => {
    await makeStore(1);
    using other = new DatabaseSync("pets.db");
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM pets");
    // At the same time, because each waits for a second.
    const backup = runCommand(folder, ["backup", "copy.db", PETS]);
    for (const exit of [await runHere(["check", PETS]), await backup]) {
      assertRefused(exit, /is locked by another process/, 1);
    }
    assert.ok(!readdirSync(".").some((name) => name.startsWith("copy.db")));
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
      await makeStore(1, folder);
      const inject = "-f --seccomp-bpf -qq -o /dev/null -e trace=link,linkat -e inject=link,linkat:error=EPERM".split(
        " ",
      );
      const backup = async () => {
        const args = [...inject, ...serverCommand(), "backup", "copy.db", PETS];
        await using child = new Child("strace", args, { cwd: folder, clearEnv: true, env: environment() });
        return { status: await child.exit(), ...child.written };
      };
      const { status, stderr } = await backup();
      assert.deepEqual([status, stderr], [0, ""]);
      assertRefused(await backup(), /exists already/);
      assert.deepEqual(readdirSync(folder).toSorted(), ["copy.db", "pets.db"]);
    }),
);
