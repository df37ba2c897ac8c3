/** The README of the npm package: its program is installed from the tarball and run, and its curl commands with it. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, commandsOf } from "../support/pages.ts";
import { testUnless } from "../support/system/commands.ts";
import { freePort } from "../support/system/free_port.ts";
import { npm, TARBALL, withProject } from "./support/project.ts";
import { run, start, succeed } from "./support/run.ts";
import { BUN, DENO, NODE } from "./support/runtimes.ts";
import { readTarball } from "./support/tar.ts";

const README = readTarball(readFileSync(TARBALL)).find(({ path }) => path === "package/README.md")?.text ?? "";
const [PROGRAM = ""] = blocksOf(README, "js");
const START = blocksOf(README, "sh").find((block) => block.includes("node server.mjs")) ?? "";

const hasCurl = (await run("curl", ["--json", "", "--version"], ".").catch(() => undefined))?.status === 0;

for (const { name, command, args, skip } of [NODE, BUN, DENO]) {
  const testCurl = testUnless(skip || (hasCurl ? false : "there is no curl 7.82 or later"));
  testCurl(
    `the program of the package's README runs on ${name}, and answers as the README says`,
    () =>
      withProject(npm(NODE), async (folder) => {
        const port = await freePort();
        writeFileSync(join(folder, "server.mjs"), PROGRAM.replaceAll("8000", String(port)));
        const [, variable = "", value = ""] = /^(\w+)=(\S+) node server\.mjs\n$/.exec(START) ?? [];
        await using server = start(command, [...args, "server.mjs"], folder, { [variable]: value });
        await server.printed(/./);
        const assignments: string[] = [];
        for (const { line, output } of commandsOf(README)) {
          const script = line.replace("127.0.0.1:8000", `127.0.0.1:${port}`);
          if (output === "") assignments.push(script);
          const { stdout } = await succeed("sh", ["-c", [...assignments, script].join("\n")], folder);
          assert.equal(stdout, output, line);
        }
      }),
  );
}
