/**
 * Command lines that must fail: each says why in one line on standard error, prints nothing else,
 * exits with 2, and changes no file.
 */

import assert from "node:assert/strict";
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { execute } from "../support/database.ts";
import { test } from "../support/server/in_process.ts";
import { makeStore, runLine, succeed } from "../support/server/pet_files.ts";
import { overwrite } from "../support/system/disk.ts";

/** What stands in place of a key by mistake. */
const NO_KEYS = [
  "",
  "undefined",
  "None",
  "nil",
  "xxxx",
  "%23%20pk_a",
  "KEY=pk_a",
  "vault:pk_a",
  `Sha256:${"0".repeat(64)}`,
];

/** Each by its line, for runLine(), and a part of what it says. */
const REFUSED: [line: string, shows: string][] = [
  // The command and its flags. A word that may be a key is not shown.
  ["srve", "There is no such command (did you mean serve?); --help lists the commands\n"],
  ["keys revok 1", "There is no such command (did you mean keys revoke?); --help lists the commands\n"],
  ["bakcup x.db", "There is no such command (did you mean backup?); --help lists the commands\n"],
  ["pk_secret", ": There is no such command; --help lists the commands\n"],
  ["check --stor=x", "Unknown option '--stor' (did you mean --store?); add --help to see the flags of check"],
  ["--docs=pk_secret", "Option '--docs' does not take an argument; add"],
  ["serve pk_stray", "Only flags"],
  ["serve --store", "Option '--store <value>' argument missing"],
  ["serve --store --docs", "Option '--store' argument is ambiguous; add"],
  ["serve --no-store", "Unknown option '--no-store' (did you mean --store?)"],
  ["serve -hx", "Unknown option '-x'; add"],
  ["serve --no-docs --__proto__=pk_a", "Unknown option '--__proto__'; add"],

  // Settings of a server.
  ["serve --hostname=a%20b", "--hostname must be an address or a name"],
  ["serve --faults=", "--faults must be faults and their shares"],
  ["serve --faults=times=3,lose=0", "--faults: No request would fail; give a share of delay, "],
  ...NO_KEYS.map((key): [string, string] => [`serve --key=${key}`, "--key: An API key has letters, digits and "]),
  ["PETSTORE_KEYS=pk_a,,pk_b serve", "PETSTORE_KEYS has no value before or after a comma"],
  ["PETSTORE_KEYS=pk_a,pk_b, serve", "PETSTORE_KEYS has no value before or after a comma"],
  ["serve --key=sha256:pk_0f", "sha256: and 64 hex digits"],
  ["serve --cors-origin=https://a.example/x", "--cors-origin must be "],
  ["serve --cors-origin=* --cors-origin=https://a.example", "--cors-origin: * must be the only origin"],
  ["PETSTORE_CORS_ORIGINS=*,a serve", "PETSTORE_CORS_ORIGINS must be an origin such as "],
  ["serve --public-url=api.example", "--public-url must be an address "],
  ["PETSTORE_PUBLIC_URL=https://me:pk_secret@api.example/v1 serve", "PETSTORE_PUBLIC_URL must be an address "],
  ["PETSTORE_LOG=on serve", 'PETSTORE_LOG must be text, json or off, not "on"'],
  ["PETSTORE_DOCS=constructor serve", 'PETSTORE_DOCS must be on or off, not "constructor"'],
  ["serve --allow-reset", "--allow-reset works with --store memory: only, because a reset removes every pet"],
  // A Content-Security-Policy would take a semicolon for the end of a source.
  ["openapi --openapi-server=https://a;script-src/v1", "--openapi-server must be an address that ends in /v1"],
  ["ready http://127.0.0.1:8000", "Only flags are expected"],

  // Files of secrets. Neither what they have is shown, nor a secret in the place of a path.
  ["PETSTORE_KEYS_FILE=/nowhere/file serve", "/nowhere/file (PETSTORE_KEYS_FILE) cannot be read: "],
  ["PETSTORE_STORE=postgres://u@127.0.0.1:1/x PGPASSWORD_FILE=blank serve", "blank (PGPASSWORD_FILE) is empty"],
  ["PETSTORE_KEYS_FILE=utf16 serve", "utf16 (PETSTORE_KEYS_FILE) is not text in UTF-8; in PowerShell, "],
  ["PETSTORE_KEYS_FILE=pk_secret/pk_secret serve", "The file of PETSTORE_KEYS_FILE cannot be read"],
  ["PETSTORE_KEYS=pk_secret PETSTORE_KEYS_FILE=kept serve", "PETSTORE_KEYS and PETSTORE_KEYS_FILE are both set"],

  // The store of each command.
  ["serve --store=mysql://u:pk_secret@db/x", "must be memory:"],
  ["serve --store=sqlite:///pets.db", "without //: sqlite:pets.db"],
  ["serve --store=x.db", "write sqlite:x.db for the file x.db"],
  ["serve --store=sqlite:no%0Asuch/pets.db", "must not contain control characters"],
  ["serve --store=sqlite:dta/petstore.db", "dta/petstore.db cannot be made, because there is no folder dta, "],
  ["serve --key=k --store=sqlite:theirs.db", "theirs.db is an SQLite database of another program"],
  // SQLite would delete it, or replay it into a database.
  ["serve --store=sqlite:pets.db-wal", "named …-wal; choose another"],
  ["PETSTORE_STORE= serve --key=k", "data"],
  ["keys add --label=ci --store=memory:", "A store in memory belongs to one server"],
  ["check --store=sqlite:empty.db", "is an empty database"],
  ["backup new.db --store=sqlite:none.db", "none.db does not exist"],

  // Keys.
  ["keys add", "Say what the key is for, as in "],
  ["keys add --label=ci --expires=soon", "--expires must be a time such as 12h, 90d or 1w"],
  ["keys revoke petstore_secret", "no such key; "],
  // A shell has put nothing in place of a variable.
  ["keys revoke ", "Name the id, as in "],
  ["export ", "Name the file, as in "],

  // Files. No command replaces one.
  ["backup", " backup copy.db\n"],
  ["backup -", "A backup is a file, and cannot be written to standard output"],
  ["backup new.db%0D", "The file must not contain control characters"],
  ["backup kept", "exists already; choose another name"],
  ["backup new/", "new/ is the name of a folder; name a file"],
  ["export new/", "new/ is the name of a folder; name a file"],
  ["export pets.db-wal", "SQLite keeps the log of a database in a file named …-wal; choose another name"],
  ["backup no/such/copy.db", "copy.db cannot be made: no such file or directory\n"],
  ["backup pets.db-wal", "SQLite keeps the log of a database in "],
  ["import folder", "folder cannot be read: "],
  ["import none", "none cannot be read: no such file or directory"],
  ["import blank", "blank has no pets\n"],
  [
    "import array",
    "The pets are a JSON array, but an import reads one pet from each line; jq -c '.[]' writes such lines\n",
  ],
  ["restore theirs.db", "theirs.db is an SQLite database of another program"],
  ["restore damaged.db", "damaged.db is "],
  ["restore pets.db", "pets.db is the store itself"],
  // A server that has it open by the other name would not be found.
  ["restore copy.db --store=sqlite:two.db", "two.db is a file with several names"],
  ["restore copy.db --store=sqlite:theirs.db", "theirs.db is an SQLite database of another program"],
  ["restore copy.db --store=memory:", "Only an SQLite file can be backed up or restored"],
  ["restore copy.db --revoke-newer --store=sqlite:none.db", "because those of none.db cannot be read"],
];

/** Makes the files that the lines name: a store and its backup, and files that cannot be used. */
async function makeFiles(): Promise<void> {
  await makeStore(500);
  for (const copy of ["copy.db", "one.db", "damaged.db"]) await succeed(`backup ${copy}`);
  linkSync("one.db", "two.db");
  overwrite("damaged.db", 4096, 4096);
  execute("empty.db", "VACUUM");
  execute("theirs.db", "PRAGMA user_version = 1; CREATE TABLE pets (title TEXT)");
  mkdirSync("folder");
  writeFileSync("data", "not the folder of the database");
  writeFileSync("kept", "kept");
  writeFileSync("array", `\ufeff\n[\n${'{"name": "Rex", "categoryId": 7},\n'.repeat(99)}`);
  writeFileSync("blank", "\ufeff\n \n");
  writeFileSync("utf16", "\ufeffpk_secret\r\n", "utf16le");
}

test.inFolder("a command line that is wrong, or names what cannot be used, has one line, status 2, and changes no file", async () => {
  await makeFiles();
  const names = readdirSync(".");
  const files = names.filter((name) => statSync(name).isFile() && name !== "pets.db");
  const before = files.map((name) => readFileSync(name));
  for (const [line, shows] of REFUSED) {
    const { status, stdout, stderr } = await runLine(line);
    const what = line.slice(0, 100);
    assert.match(stderr, /^petstore: [^\n]+\n$/, what);
    assert.ok(stderr.includes(shows), `${what}: ${stderr}`);
    assert.doesNotMatch(stderr, /pk_|petstore_secret/, what);
    assert.deepEqual([status, stdout], [2, ""], what);
    assert.deepEqual(readdirSync("."), names, what);
  }
  for (const [i, name] of files.entries()) assert.ok(readFileSync(name).equals(before[i]!), name);
  assert.match(await succeed("check"), /is sound: 500 pets/);
});
