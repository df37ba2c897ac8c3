/** README.md is run, not believed: its commands against a real server, its tables against what they describe. */

import assert from "node:assert/strict";
import { dirname } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { HELP } from "../../lib/server/help.ts";
import { readSettings, SETTINGS } from "../../lib/server/settings.ts";
import { describeServer } from "../../lib/server/description.ts";
import type { Json } from "../../mod.ts";
import { withServer } from "../support/server/server_process.ts";
import { withTempFolder } from "../support/temp.ts";
import { withAnyPathAnswers } from "../support/any_path_answers.ts";

const README = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));
const ADDRESS = "127.0.0.1:8000";

/** A command of a ```console block, and what README says that it prints. */
interface Command {
  line: string;
  output: string;
}

test("README.md shows what the server prints at its first start", () =>
  withTempFolder((folder) =>
    withServer(folder, {}, ({ port, written }) => {
      const start = CONSOLE.find(({ line }) => line.endsWith(" task serve"));
      const printed = written.stdout.trimEnd().replaceAll(`127.0.0.1:${port}`, ADDRESS);
      // The key is another one each time, and is shortened in README.
      assert.equal(printed.replace(/pk_[0-9a-f]{64}/, "pk_…"), start?.output);
    })
  ));

test(
  "README.md shows what its curl commands print",
  { skip: whyNoCurl() },
  () =>
    withTempFolder((folder) =>
      withServer(folder, {}, async ({ port }) => {
        const commands = CONSOLE.filter(({ line }) => !/^(npx|deno) /.test(line));
        assert.ok(commands.filter(({ line }) => line.includes("curl ")).length > 20, "README.md has lost its tour");
        // Variables set by one command are there for all that follow, as in the reader's own shell.
        const assignments: string[] = [];
        for (const { line, output } of commands) {
          const script = line.replaceAll(ADDRESS, `127.0.0.1:${port}`);
          if (/^[A-Z]+=/.test(line)) assignments.push(script);
          const printed = await runShell(folder, [...assignments, script].join("\n"));
          assert.equal(normalise(printed.replaceAll(`127.0.0.1:${port}`, ADDRESS)), normalise(output), line);
        }
      })
    ),
);

test("README.md starts the server in production with permissions that suffice", () =>
  withTempFolder(async (folder) => {
    const line = blocks("sh").find((block) => block.startsWith("deno run "));
    assert.ok(line, "README.md has no line for production");
    const server = fileURLToPath(new URL("../../server.ts", import.meta.url));
    const words = line.replaceAll("8000", "0").replaceAll("\\\n", " ").trim().split(/\s+/);
    const args = words.slice(1).map((word) => word === "server.ts" ? server : word);
    // Without the tester's own variables: PORT or PETSTORE_KEYS would make another server of it.
    const options = { args, cwd: folder, clearEnv: true, env: { HOME: folder }, stdout: "piped" } as const;
    const child = new Deno.Command(Deno.execPath(), options).spawn();
    let printed = "";
    try {
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream()).values({ preventCancel: true })) {
        printed += text;
        if (/^ {2}try .*\n/m.test(printed)) break;
      }
      const origin = / listens on (http:\S+)\/v1$/m.exec(printed)?.[1];
      const key = Deno.readTextFileSync(`${folder}/data/api-key`).trim();
      const answer = await fetch(`${origin}/v1/pets`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: '{"name":"Rex","categoryId":7}',
      });
      assert.equal(await answer.text(), '{"id":1,"name":"Rex","categoryId":7,"status":"available"}');
      child.kill("SIGTERM");
      assert.equal((await child.status).code, 0);
    } finally {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended already, as it should.
      }
      await child.status;
    }
  }));

test("README.md names every flag, variable and default of the standalone server, and no other", () => {
  const section = /^## The standalone server\n([^]*?)^##/m.exec(README)?.[1] ?? "";
  const flags = [...Object.keys(SETTINGS).map((flag) => `--${flag}`), ...matches(HELP, /--[a-z-]+/g)];
  assert.deepEqual(new Set(matches(section, /--[a-z][a-z-]*/g)), new Set(flags));
  const table = section.split("\n").filter((line) => line.startsWith("| ")).join("\n");
  assert.deepEqual(
    new Set(matches(table, /\b(?:PORT|PETSTORE_[A-Z_]+)\b/g)),
    new Set(Object.values(SETTINGS).map(({ variable }) => variable)),
  );
  const command = readSettings([], () => undefined);
  assert.ok("settings" in command);
  const { hostname, port, store } = command.settings;
  for (const value of [hostname, port, store]) {
    assert.ok(table.includes(`\`${value}\``), `${value} is not in the table`);
  }
});

test("README.md names every error code with its status, and no other", () => {
  const described: Record<string, string> = {};
  for (const { code, status } of errorBodies(withAnyPathAnswers(describeServer({})))) described[code] = String(status);
  const rows = README.matchAll(/^\| `([a-z_]+)` *\| (\d{3}) *\|/gm);
  assert.deepEqual(Object.fromEntries(Array.from(rows, ([, code, status]) => [code, status])), described);
});

/** The contents of the fenced blocks of a language. */
function blocks(language: string): string[] {
  return Array.from(README.matchAll(/^```(\w+)\n([^]*?)^```$/gm))
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? "");
}

const CONSOLE = blocks("console").flatMap(readCommands);

/** A line with a prompt begins a command, and what follows up to the next prompt is its output. */
function readCommands(block: string): Command[] {
  return block.split(/^\$ /m).slice(1).map((text) => {
    const end = text.indexOf("\n");
    return { line: text.slice(0, end), output: text.slice(end + 1).trimEnd() };
  });
}

/** Without what differs from run to run (the date) or does not show (carriage returns, line breaks at the end). */
function normalise(output: string): string {
  return output.replaceAll("\r\n", "\n").replace(/^date: .*$/gm, "date: …").trimEnd();
}

async function runShell(folder: string, script: string): Promise<string> {
  const { code, stdout, stderr } = await shell(script, folder).output();
  const decoder = new TextDecoder();
  assert.equal(code, 0, `${script}: ${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

/** A shell that sees neither the tester's proxy nor their .curlrc. */
function shell(script: string, folder: string): Deno.Command {
  const PATH = Deno.env.get("PATH") ?? dirname(Deno.execPath());
  return new Deno.Command("sh", {
    args: ["-c", script],
    cwd: folder,
    clearEnv: true,
    env: { PATH, HOME: folder },
    stdin: "null",
  });
}

/** Why the commands cannot be run here, or `false` if they can. */
function whyNoCurl(): string | false {
  try {
    const { code, stdout } = shell("curl --version", ".").outputSync();
    if (code !== 0) return "there is no curl";
    const [, major = 0, minor = 0] = /^curl (\d+)\.(\d+)/.exec(new TextDecoder().decode(stdout)) ?? [];
    return Number(major) * 1000 + Number(minor) < 7082 ? "curl is older than 7.82 and has no --json" : false;
  } catch {
    return "there is no sh";
  }
}

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([match]) => match);
}

/** Every error body that a description shows. */
function errorBodies(value: Json): { code: string; status: number }[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(errorBodies);
  const { code, status } = value;
  if (typeof code === "string" && typeof status === "number") return [{ code, status }];
  return Object.values(value).flatMap(errorBodies);
}
