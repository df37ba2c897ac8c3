/** The commands and programs of README.md and docs/ do what the pages say. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { blocksOf, readPage, ROOT } from "../support/pages.ts";
import { addPet, readKey, serverAt, withServer } from "../support/server/server_process.ts";
import { until } from "../support/until.ts";
import { withTempFolder } from "../support/temp.ts";
import { test, withServerHere } from "../support/server/in_process.ts";
import { NODE } from "../support/server/serve_task.ts";
import { freePort } from "../support/system/free_port.ts";
import { started } from "../support/server/unit.ts";
import { Child } from "../support/system/child.ts";
import { command, skipUnless, testUnless } from "../support/system/commands.ts";

const ADDRESS = "127.0.0.1:8000";
const README = readPage("README.md");
const KEY = /petstore_[0-9A-Za-z]{36}/;

/** A command of a `console` block, and the output that the page shows for it. */
interface Command {
  line: string;
  output: string;
}

/**
 * The commands of the `console` blocks in a page's text. A prompt begins a command; its output ends
 * at the next prompt.
 */
function commandsOf(page: string): Command[] {
  return blocksOf(page, "console").flatMap((block) =>
    block.split(/^\$ /m).slice(1).map((text) => {
      const end = text.indexOf("\n");
      return { line: text.slice(0, end), output: text.slice(end + 1).trimEnd() };
    })
  );
}

test("README.md shows what appears on the screen at the first start", () =>
  // As in a fresh checkout, until Ctrl-C, and as if the port were 8000.
  withTempFolder(async (folder) => {
    for (const entry of ["deno.json", "lib", "packages", "server.ts"]) {
      Deno.symlinkSync(`${ROOT}${entry}`, join(folder, entry));
    }
    const env = { HOME: folder, NO_COLOR: "1", PORT: "0" };
    await using child = new Child(Deno.execPath(), ["task", "serve"], { cwd: folder, clearEnv: true, env });
    try {
      const port = await started(child);
      await child.printed(/^Task .*\n/, "stderr");
      const { stdout, stderr } = child.written;
      const greeting = stdout.trimEnd().replaceAll(`127.0.0.1:${port}`, ADDRESS);
      assert.match(greeting, KEY);
      const shown = commandsOf(README).find(({ line }) => line.endsWith(" task serve"))?.output;
      assert.equal((stderr + greeting).replace(KEY, "pk_…"), shown?.replace(KEY, "pk_…"));
    } finally {
      // A kill would leave the processes of the task behind.
      assert.equal(await child.stop("SIGINT"), 0);
    }
  }));

test.inFolder("README.md's line for authors of clients starts a server with a key and 20 pets, and makes no file", async (folder) => {
  const [, args = ""] = /^npx @petstore\/petstore serve (.*--store memory:.*)$/m.exec(README) ?? [];
  await withServerHere({ args: args.split(" ") }, async ({ origin }) => {
    const headers = { authorization: "Bearer test", origin: "http://localhost:5173" };
    const response = await fetch(`${origin}/v1/pets?limit=100`, { headers });
    assert.equal((await response.json()).length, 20);
    assert.equal(response.headers.get("access-control-allow-origin"), headers.origin);
  });
  assert.deepEqual([...Deno.readDirSync(folder)], []);
});

for (const [page, least] of [["README.md", 4], ["docs/http.md", 12]] as const) {
  testUnless(skipUnless(["curl"], "curl 7.82, which has --json", () => command("curl", "--json", "{}", "--version")))(
    `${page} shows what its curl commands print`,
    () =>
      withTempFolder((folder) =>
        withServer(folder, {}, async ({ port }) => {
          const tour = commandsOf(readPage(page)).filter(({ line }) => !/^(npx|deno) /.test(line));
          assert.ok(tour.filter(({ line }) => line.includes("curl ")).length >= least, `${page} has lost its tour`);
          const script = tour.map(({ line }) => line).join("\necho; echo ----\n");
          const printed = await runShell(folder, script.replaceAll(ADDRESS, `127.0.0.1:${port}`));
          const outputs = printed.replaceAll(`127.0.0.1:${port}`, ADDRESS).split("----\n");
          assert.deepEqual(outputs.map(normalise), tour.map(({ output }) => normalise(output)));
        })
      ),
  );
}

test.withFolder("README.md's programs for Deno serve and call pets", async (folder) => {
  const [source = "", caller = ""] = blocksOf(README, "ts");
  const options = ["--no-lock", `--config=${ROOT}deno.json`, "-A"];
  Deno.writeTextFileSync(join(folder, "app.ts"), source);
  const serve = ["serve", "--port=0", ...options, "app.ts"];
  await using server = new Child(Deno.execPath(), serve, { cwd: folder });
  const [, port] = await server.printed(/Listening on http:\/\/\S+:(\d+)/, "stderr");
  Deno.writeTextFileSync(join(folder, "call.ts"), caller.replace(":8000", `:${port}`));
  const { status, stdout, stderr } = await new Child(Deno.execPath(), ["run", ...options, "call.ts"], { cwd: folder })
    .run();
  assert.equal(status, 0, stderr);
  assert.ok(README.includes(`it prints \`${stdout.trimEnd()}\``), stdout);
});

testUnless(skipUnless([NODE]))(
  "README.md's program for Node serves pets",
  () =>
    withTempFolder(async (folder) => {
      const [source = ""] = blocksOf(README, "js");
      // Node prints nothing, so that the port must be known.
      const port = await freePort();
      Deno.writeTextFileSync(join(folder, "app.mjs"), source.replace("8000", String(port)));
      const args = ["--import", `${ROOT}tests/support/names.mjs`, "app.mjs"];
      await using _server = new Child(NODE, args, { cwd: folder });
      await until("an answer of the program", () => fetch(`http://127.0.0.1:${port}`).then(() => true, () => false));
      await addPet(serverAt(port), "pk_example");
    }),
);

test.withFolder("docs/production.md's command has permissions that suffice", async (folder) => {
  const line = blocksOf(readPage("docs/production.md"), "sh").find((block) => block.startsWith("deno run "));
  assert.ok(line, "docs/production.md has no command");
  const words = line.replaceAll("8000", "0").replaceAll("\\\n", " ").trim().split(/\s+/);
  const args = words.slice(1).map((word) => word === "server.ts" ? `${ROOT}server.ts` : word);
  // The child has none of the tester's own variables: PORT or PETSTORE_KEYS would make another server of it.
  await using child = new Child(Deno.execPath(), args, { cwd: folder, clearEnv: true, env: { HOME: folder } });
  await addPet(serverAt(await started(child)), readKey(folder));
  assert.equal(await child.stop(), 0);
});

/**
 * Leaves out what differs from run to run (the date, request ids) or does not show (carriage
 * returns, line breaks at the end).
 */
function normalise(output: string): string {
  return output.replaceAll("\r\n", "\n").replace(/^(date|x-request-id): .*$/gm, "$1: …").trimEnd();
}

/** Runs a script in a shell that sees neither the tester's proxy nor their .curlrc, and returns its output. */
async function runShell(folder: string, script: string): Promise<string> {
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: folder };
  await using shell = new Child("sh", ["-ec", script], { cwd: folder, clearEnv: true, env });
  assert.equal(await shell.exit(), 0, `${script}: ${shell.written.stderr}`);
  return shell.written.stdout;
}
