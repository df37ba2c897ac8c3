/** The commands beside `serve`. Each prints its result alone on standard output, and all else on standard error. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import config from "../../deno.json" with { type: "json" };
import { nearest } from "../../lib/server/commands/command_line.ts";
import { describeCommand, describeProgram } from "../../lib/server/commands/help.ts";
import { COMMANDS } from "../../lib/server/commands/table.ts";
import { asCalled, programName } from "../../lib/server/process/process.ts";
import { serverOpenApiOf } from "../support/descriptions.ts";
import { runHere, test } from "../support/server/in_process.ts";
import { assertAllRefused, assertRefused } from "../support/server/pet_files.ts";
import { runCommand } from "../support/server/server_process.ts";
import { serverCommand } from "../support/server/serve_task.ts";

test.inFolder("--help lists every command, and help and --help show the examples of each, in lines of a terminal's width", async () => {
  const prints = (stdout: string) => ({ status: 0, stdout, stderr: "" });
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
  // A process knows how it was called.
  const inProcess = (text: string) => asCalled(text, serverCommand().at(-1));
  assert.equal((await runCommand(".", ["--help"])).stdout, inProcess(overview));
  const advice = inProcess("petstore: Say what the key is for, as in petstore keys add --label ci\n");
  assert.equal((await runCommand(".", ["keys", "add"])).stderr, advice);
  assert.deepEqual(readdirSync("."), []);
});

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

test.inFolder("a mistyped command or flag gets the right one suggested, and a word that may be a key is not shown", async () => {
  await assertAllRefused([
    [["bakcup", "x.db"], /did you mean backup\? --help alone lists the commands/],
    [["help", "serv"], /did you mean serve\?/],
    [["check", "--stor=x"], /There is no flag --stor; did you mean --store\? Add --help to see the flags of check/],
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
});

test.withFolder("openapi prints what a server has at /openapi.json, with the public address if there is one", async (folder) => {
  const { status, stdout, stderr } = await runCommand(folder, ["openapi"]);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /^\{\n {2}"openapi"/);
  assert.deepEqual(JSON.parse(stdout), serverOpenApiOf({ requestIds: "failures" }));
  const url = "https://api.example/v1";
  const byFlag = await runHere(["openapi", `--public-url=${url}`]);
  assert.deepEqual(JSON.parse(byFlag.stdout).servers, [{ url }]);
  assert.deepEqual(await runHere(["openapi"], { PETSTORE_PUBLIC_URL: url }), byFlag);
  assertRefused(await runHere(["openapi", "--public-url=api.example"]), /--public-url must be/);
});
