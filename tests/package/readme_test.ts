/** The README of the npm package: its program is installed from the tarball and run, and its curl commands with it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import test from "node:test";
import { freePort } from "../support/system/free_port.ts";
import { npm, TARBALL, withProject } from "./support/project.ts";
import { run } from "./support/run.ts";
import { BUN, DENO, NODE, NODES } from "./support/runtimes.ts";
import { readTarball } from "./support/tar.ts";

const README = readTarball(readFileSync(TARBALL)).find(({ path }) => path === "package/README.md")?.text ?? "";
const [PROGRAM = ""] = blocks("js");
const [START = ""] = blocks("sh").slice(1);

/** The commands of the console block, each with the output below it. */
const COMMANDS = blocks("console").join("").split(/^\$ /m).slice(1).map((text) => {
  const [line = "", ...output] = text.trimEnd().split("\n");
  return { line, output: output.join("\n") };
});

/** The contents of the fenced blocks of a language. */
function blocks(language: string): string[] {
  return Array.from(README.matchAll(/^```(\w+)\n([^]*?)^```$/gm))
    .filter(([, found]) => found === language).map(([, , text = ""]) => text);
}

const hasCurl = (await run("curl", ["--json", "", "--version"], ".").catch(() => undefined))?.status === 0;

for (const { name, command, args, skip } of [...NODES, BUN, DENO]) {
  const reason = skip || (hasCurl ? false : "there is no curl 7.82 or later");
  const title = `the program of the package's README runs on ${name}, and answers as the README says`;
  test(
    reason ? `${title} (skipped: ${reason})` : title,
    { skip: reason },
    () =>
      withProject(npm(NODE), async (folder) => {
        const port = await freePort();
        writeFileSync(join(folder, "server.mjs"), PROGRAM.replaceAll("8000", String(port)));
        const [, variable = "", value = ""] = /^(\w+)=(\S+) node server\.mjs\n$/.exec(START) ?? [];
        const env = { PATH: process.env["PATH"], HOME: folder, [variable]: value };
        const server = spawn(command, [...args, "server.mjs"], {
          cwd: folder,
          env,
          stdio: ["ignore", "pipe", "ignore"],
        });
        const ended = once(server, "close");
        try {
          await once(server.stdout, "data");
          const assignments: string[] = [];
          for (const { line, output } of COMMANDS) {
            const script = line.replace("127.0.0.1:8000", `127.0.0.1:${port}`);
            if (output === "") assignments.push(script);
            const { status, stdout, stderr } = await run("sh", ["-c", [...assignments, script].join("\n")], folder);
            assert.equal(status, 0, stderr);
            assert.equal(stdout, output, line);
          }
        } finally {
          server.kill("SIGKILL");
          await ended;
        }
      }),
  );
}
