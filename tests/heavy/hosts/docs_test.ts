/** docs/hosts.md shows the programs and deviations that are tested. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createHostsPage } from "../../../tools/docs/hosts_page.ts";
import { HOSTS } from "./hosts.ts";

const PAGE = new URL("../../../docs/hosts.md", import.meta.url);
const page = readFileSync(PAGE, "utf8");

test("docs/hosts.md is up to date: deno task docs would write the same", () => {
  assert.equal(page, createHostsPage());
});

test("docs/hosts.md names every program once", () => {
  const linked = Array.from(page.matchAll(/`tests\/heavy\/hosts\/programs\/(.*?)`/g), ([, file]) => file);
  assert.deepEqual(linked.toSorted(), readdirSync(new URL("programs", import.meta.url)).toSorted());
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
