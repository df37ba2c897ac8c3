/** The commands and programs of README.md and docs/ do what the pages say. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { blocksOf, readPage, ROOT } from "../support/pages.ts";
import {
  addPet,
  countPets,
  readKey,
  serverAt,
  type ServerParts,
  withServer,
} from "../support/server/server_process.ts";
import { withTempFolder } from "../support/temp.ts";
import { test, withServerHere } from "../support/server/in_process.ts";
import { NODE, serverCommand } from "../support/server/serve_task.ts";
import { freePort } from "../support/system/free_port.ts";
import { started } from "../support/server/unit.ts";
import { Child } from "../support/system/child.ts";
import { command, skipUnless, testUnless } from "../support/system/commands.ts";

const ADDRESS = "127.0.0.1:8000";
const KEY = /petstore_[0-9A-Za-z]{36}/;

/** A command of a `console` block, and the output that the page shows for it. */
interface Command {
  line: string;
  output: string;
}

/** The commands of the `console` blocks in a page's text. A prompt begins a command; its output ends at the next prompt. */
function commandsOf(page: string): Command[] {
  return blocksOf(page, "console").flatMap((block) =>
    block.split(/^\$ /m).slice(1).map((text) => {
      const end = text.indexOf("\n");
      return { line: text.slice(0, end), output: text.slice(end + 1).trimEnd() };
    })
  );
}

function firstScreen(): string {
  const start = commandsOf(readPage("README.md")).find(({ line }) => line.endsWith(" task serve"));
  return String(start?.output.replace(KEY, "pk_…"));
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
      assert.equal((stderr + greeting).replace(KEY, "pk_…"), firstScreen());
    } finally {
      // A kill would leave the processes of the task behind.
      assert.equal(await child.stop("SIGINT"), 0);
    }
  }));

const TESTING = readPage("docs/testing.md");

/** How the pages start a server for tests. Each has the key `test` and 20 pets. */
const STARTS: Record<string, ServerParts> = {
  "README.md's line for authors of clients": { args: argsOfLine(readPage("README.md")) },
  "docs/testing.md's line": { args: argsOfLine(TESTING) },
  // The image has no other arguments. That its name and its port are right, the test of the container checks.
  "docs/testing.md's container": {
    env: Object.fromEntries(Array.from(TESTING.matchAll(/ -e (\w+)=(\S+)/g), ([, name, value]) => [name, value])),
  },
};

function argsOfLine(page: string): string[] {
  const [, rest = ""] = /^npx @petstore\/petstore serve (.*--store memory:.*)$/m.exec(page) ?? [];
  return rest.split(" ");
}

for (const [name, parts] of Object.entries(STARTS)) {
  test.inFolder(`${name} starts a server with a key, 20 pets and what it names, and makes no file`, async (folder) => {
    const text = JSON.stringify(parts);
    await withServerHere(parts, async ({ origin }) => {
      const headers = { authorization: "Bearer test", origin: "http://localhost:5173" };
      const response = await fetch(`${origin}/v1/pets?limit=100`, { headers });
      assert.equal((await response.json()).length, 20);
      const isGranted = response.headers.get("access-control-allow-origin") === headers.origin;
      assert.equal(isGranted, text.includes(headers.origin));
      const reset = await fetch(`${origin}/reset`, { method: "POST", headers });
      await reset.body?.cancel();
      assert.equal(reset.status, /allow.reset/i.test(text) ? 204 : 404);
    });
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
}

testUnless(skipUnless(["bash", "curl"], "bash and curl", () => {}))(
  "docs/testing.md's steps for GitHub Actions start a server, and wait until it is ready",
  () =>
    withTempFolder(async (folder) => {
      const [install, start, wait, ...more] = parse(blocksOf(TESTING, "yaml").join("")) as Step[];
      assert.ok(start && wait && more.length === 0);
      // The program of the checkout stands in for that of the package.
      assert.match(String(install?.run), /^npm install .*@petstore\/petstore$/);
      const [program, ...args] = serverCommand();
      Deno.mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
      const script = `#!/bin/sh\nexec ${[program, ...args].join(" ")} "$@"\n`;
      Deno.writeTextFileSync(join(folder, "node_modules/.bin/petstore"), script, { mode: 0o755 });
      const port = await freePort();
      const options = { cwd: folder, env: { ...start.env, PORT: String(port) } };
      // The server runs in the background. The shell waits for its end, and passes SIGTERM on to it.
      await using server = new Child("bash", ["-ec", `${start.run}trap 'kill $!' TERM; wait`], options);
      try {
        const waiting = await new Child("bash", ["-ec", wait.run.replace("8000", String(port))], { cwd: folder }).run();
        assert.equal(waiting.status, 0, waiting.stderr + server.written.stderr);
        assert.equal(await countPets(serverAt(port), "test"), 20);
      } finally {
        await server.stop();
      }
    }),
);

/** A step of a job of GitHub Actions. */
interface Step {
  run: string;
  env?: Record<string, string>;
}

for (const [page, least] of [["README.md", 4], ["docs/http.md", 12]] as const) {
  testUnless(whyNoCurl())(
    `${page} shows what its curl commands print`,
    () =>
      withTempFolder((folder) =>
        withServer(folder, {}, async ({ port }) => {
          const tour = commandsOf(readPage(page)).filter(({ line }) => !/^(npx|deno) /.test(line));
          assert.ok(tour.filter(({ line }) => line.includes("curl ")).length >= least, `${page} has lost its tour`);
          await follow(tour, folder, port);
        })
      ),
  );
}

/** Runs commands one after the other, in a shell that keeps its variables. */
async function follow(tour: readonly Command[], folder: string, port: number): Promise<void> {
  const assignments: string[] = [];
  for (const { line, output } of tour) {
    const script = line.replaceAll(ADDRESS, `127.0.0.1:${port}`);
    if (/^[A-Z]+=/.test(line)) assignments.push(script);
    const printed = await runShell(folder, [...assignments, script].join("\n"));
    assert.equal(normalise(printed.replaceAll(`127.0.0.1:${port}`, ADDRESS)), normalise(output), line);
  }
}

const PROGRAMS = [
  {
    name: "Deno",
    language: "ts",
    program: Deno.execPath(),
    args: ["serve", "--port=0", "--no-lock", `--config=${ROOT}deno.json`, "-A"],
    skip: false as const,
  },
  {
    name: "Node",
    language: "js",
    program: NODE,
    args: ["--import", `${ROOT}tests/support/checkout.mjs`],
    skip: skipUnless([NODE], "the Node package", () => {}),
  },
];

for (const { name, language, program, args, skip } of PROGRAMS) {
  testUnless(skip)(`README.md's program for ${name} serves pets`, () =>
    withTempFolder(async (folder) => {
      const [source, caller, ...more] = blocksOf(readPage("README.md"), language);
      assert.ok(source && more.length === 0);
      const file = join(folder, `app.m${language}`);
      Deno.writeTextFileSync(file, source.replace("port: 8000", "port: 0"));
      await using child = new Child(program, [...args, file], { cwd: folder });
      const [, port] = await child.printed(/Listening on http:\/\/\S+:(\d+)/, "stderr");
      if (language === "js") return await addPet(serverAt(Number(port)), "pk_example");
      assert.ok(caller);
      Deno.writeTextFileSync(join(folder, "call.mts"), caller.replace(":8000", `:${port}`));
      const run = ["run", "--no-lock", `--config=${ROOT}deno.json`, "-A", "call.mts"];
      await using client = new Child(program, run, { cwd: folder });
      assert.equal(await client.exit(), 0, client.written.stderr);
      assert.ok(
        readPage("README.md").includes(`it prints \`${client.written.stdout.trimEnd()}\``),
        client.written.stdout,
      );
    }));
}

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

/** Leaves out what differs from run to run (the date, request ids) or does not show (carriage returns, line breaks at the end). */
function normalise(output: string): string {
  return output.replaceAll("\r\n", "\n").replace(/^(date|x-request-id): .*$/gm, "$1: …").trimEnd();
}

/** Runs a script in a shell that sees neither the tester's proxy nor their .curlrc, and returns its output. */
async function runShell(folder: string, script: string): Promise<string> {
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: folder };
  await using shell = new Child("sh", ["-c", script], { cwd: folder, clearEnv: true, env });
  assert.equal(await shell.exit(), 0, `${script}: ${shell.written.stderr}`);
  return shell.written.stdout;
}

/** Why the tours cannot be followed here, or `false`. */
function whyNoCurl(): string | false {
  return skipUnless(["sh", "curl"], "curl 7.82, which has --json", () => {
    const [, major = 0, minor = 0] = /^curl (\d+)\.(\d+)/.exec(command("curl", "--version")) ?? [];
    assert.ok(Number(major) * 1000 + Number(minor) >= 7082);
  });
}
