/** docs/hosts.md shows the programs and deviations that are tested. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { anchorOf, createHostsPage } from "../../tools/docs/hosts_page.ts";
import { HOSTS } from "./hosts.ts";

const PAGE = new URL("../../docs/hosts.md", import.meta.url);
const page = readFileSync(PAGE, "utf8");

test("docs/hosts.md is up to date: deno task docs would write the same", () => {
  assert.equal(page, createHostsPage());
});

test("docs/hosts.md shows every program once", () => {
  const shown = Array.from(page.matchAll(/^\[`tests\/hosts\/programs\/(.*)`\].*:$/gm), ([, file]) => file);
  const linked = ["json_lines_store.ts"];
  assert.deepEqual([...shown, ...linked].toSorted(), readdirSync(new URL("programs", import.meta.url)).toSorted());
  assert.ok(HOSTS.every(({ file }) => shown.includes(file)));
  const edge = Array.from(page.matchAll(/\[`tests\/edge\/([a-z_]+)\/[^ ]*(?=.*:$)/gm), ([, subject]) => subject);
  assert.deepEqual(edge, [
    ...Array(5).fill("workers"),
    "service_worker",
    "service_worker",
    "nextjs",
    "sveltekit",
    "nitro",
  ]);
});

test("docs/hosts.md names every deviation that is tested, each in its host's section or with the host's name", () => {
  for (const { name, deviations } of HOSTS) {
    const section = page.split(`\n### ${name}\n`)[1]?.split("\n### ")[0] ?? "";
    for (const { says } of deviations) {
      const isShared = page.split("\n").some((line) => {
        return line.startsWith(`- ${says}: `) && line.slice(says.length + 4, -1).split(", ").includes(name);
      });
      assert.ok(isShared || section.includes(`- ${says}.\n`), `${name}: ${says}`);
    }
  }
});

test("every link of docs/hosts.md leads to a heading or a file", () => {
  const anchors = Array.from(page.matchAll(/^#+ (.*)$/gm), ([, title = ""]) => `#${anchorOf(title)}`);
  for (const [, target = ""] of page.matchAll(/\]\(([^)]+)\)/g)) {
    assert.ok(target.startsWith("#") ? anchors.includes(target) : existsSync(new URL(target, PAGE)), target);
  }
});
