/** The commands beside `serve`. Each prints its result alone on standard output, and all else on standard error. */

import assert from "node:assert/strict";
import { runLine, succeed } from "../support/server/pet_files.ts";
import { readdirSync } from "node:fs";
import config from "../../deno.json" with { type: "json" };
import { describeCommand, describeProgram } from "../../lib/server/commands/help.ts";
import { COMMANDS } from "../../lib/server/commands/table.ts";
import { test } from "../support/server/in_process.ts";

test.inFolder("--help lists every command, and shows the examples of each, in lines of a terminal's width", async () => {
  const assertPrinted = async (stdout: string, ...lines: string[]) => {
    for (const line of lines) assert.deepEqual(await runLine(line), { status: 0, stdout, stderr: "" }, line);
  };
  const overview = await describeProgram();
  await assertPrinted(overview, "--help", "-h", "help", "keys", "keys --help", "help keys");
  for (const [name, load] of Object.entries(COMMANDS)) {
    assert.ok(overview.includes(`\n  ${name} `), name);
    const help = describeCommand(name, await load());
    assert.match(help, /^Examples:\n( {2}.*petstore.*\n)+\nExit status:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n$/m);
    for (const line of help.split("\n")) assert.ok(line.length <= 100, line);
    await assertPrinted(help, `${name} --help`, `${name} -h`, `help ${name}`);
  }
  await assertPrinted(`petstore ${config.version}\n`, "--version", "-v", "version");
  assert.deepEqual(readdirSync("."), []);
});

test("openapi names servers, and labels operations", async () => {
  const [production, staging] = ["https://api.example/v1", "http://staging.example:8080/pets/v1"];
  const servers = [{ url: production, description: "Production" }, { url: staging }];
  const flags = `--openapi-server=Production=${production} --openapi-server=${staging} --stability=listPets=beta`;
  const { servers: named, paths } = JSON.parse(await succeed(`openapi ${flags} --enforce-sunset`));
  assert.deepEqual(named, servers);
  assert.equal(paths["/pets"].get["x-stability"], "beta");
  assert.ok("410" in paths["/pets/{petId}"].get.responses);
});

test("schema prints the SQL of a PostgreSQL store, with the grants of its role as comments", async () => {
  const [sql, comments = ""] = (await succeed("schema")).split("\n$petstore$;\n");
  assert.match(sql!, /^DO \$petstore\$\n/);
  assert.match(comments, /^-- GRANT SELECT, INSERT ON TABLE "petstore"\.pets TO petstore_server;$/m);
  // The SQL can be piped into psql: it has no grant for a role that is not there.
  for (const line of comments.trim().split("\n")) assert.match(line, /^--/);
});
