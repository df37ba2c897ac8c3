/** The commands beside `serve`. Each prints its result alone on standard output, and all else on standard error. */

import assert from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { describeCommand, describeProgram } from "../../lib/server/commands/help.ts";
import { COMMANDS } from "../../lib/server/commands/table.ts";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { withListening } from "../support/http/listening.ts";
import { runHere, test, withFreshServerHere } from "../support/server/in_process.ts";
import { assertRefused, runLine, succeed } from "../support/server/pet_files.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { runCommand } from "../support/server/server_process.ts";
import { testUnless } from "../support/system/commands.ts";
import { whileReplaced } from "../support/while_replaced.ts";

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

test("ready tells that a server is ready, and asks no proxy of the environment, and not when it has ended", () =>
  withFreshServerHere({ args: ["--store=memory:", "--key=k"] }, async (server, folder) => {
    const { origin } = server;
    const ready = { status: 0, stdout: `${origin} is ready\n`, stderr: "" };
    // A store that could not be opened is of no interest.
    const env = { PETSTORE_STORE: "sqlite:no/such/folder/pets.db" };
    assert.deepEqual(await runHere(["ready"], { ...env, PORT: ` ${server.port}\r\n` }), ready);
    const proxy = "http://127.0.0.1:9";
    const proxies = { HTTP_PROXY: proxy, http_proxy: proxy, NODE_USE_ENV_PROXY: "1" };
    assert.deepEqual(await runCommand(folder, ["ready", `--port=${server.port}`], proxies), ready);
    await server.stop();
    assertRefused(
      await runHere(["ready", `--port=${server.port}`]),
      /^petstore: http:\S+ cannot be asked: .*refused/i,
      1,
    );
  }));

const DOWN = '{"code":"store_unavailable","message":"The store is down","status":503}';

/** What is at an address, and the exit status and the line of the check. */
const ANSWERS: [status: number, body: string, exit: number, shows: string][] = [
  [503, DOWN, 1, "is not ready: The store is down\n"],
  [503, "Busy", 1, "is not ready: Busy\n"],
  [404, "{}", 2, "answers /readyz with 404, so it is not the port of a server"],
  [200, "<title>App</title>", 2, "answers /readyz with a page of its own, so it is not the port of a server"],
  // Followed, it would be another server's answer.
  [302, "", 2, "answers /readyz with 302"],
];

test("ready tells why a server is not ready, or that another program answers", async () => {
  for (const [status, body, exit, shows] of ANSWERS) {
    const answer = () => Promise.resolve(new Response(body, { status, headers: { location: "/livez" } }));
    await withDenoServe(answer, async (port) => {
      assertRefused(await runHere(["ready", `--port=${port}`]), shows, exit);
    });
  }
});

testUnless(ON_NODE && "the command is a process of its own on Node, so its time limit cannot be shortened")(
  "ready does not wait for a server that never answers",
  async () => {
    const { timeout } = AbortSignal;
    // It gives up at last, so that the test ends if the command waits.
    let hasGivenUp = false;
    const silent = createServer((request, response) => {
      const timer = setTimeout(() => {
        hasGivenUp = true;
        request.destroy();
      }, 2_000);
      response.on("close", () => clearTimeout(timer));
    });
    await withListening(silent, (port) =>
      whileReplaced(AbortSignal, { timeout: () => timeout(50) }, async () => {
        assertRefused(await runHere(["ready", `--port=${port}`]), /cannot be asked: .*time/i, 1);
        assert.equal(hasGivenUp, false);
      }));
  },
);
