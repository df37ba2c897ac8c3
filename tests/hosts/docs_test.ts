/** docs/hosts.md shows the programs as they are. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HOSTS } from "./hosts.ts";
import { createPage } from "./page.ts";

const FOLDER = import.meta.dirname ?? "";
const page = readFileSync(join(FOLDER, "..", "..", "docs", "hosts.md"), "utf8");

test("docs/hosts.md is what deno task docs:hosts writes", () => {
  assert.equal(page, createPage());
});

test("docs/hosts.md shows every program, and every host's program is shown once", () => {
  const shown = Array.from(page.matchAll(/^\[`tests\/hosts\/programs\/(.*)`\]/gm), ([, file]) => file);
  assert.deepEqual(shown.toSorted(), readdirSync(join(FOLDER, "programs")).toSorted());
  assert.ok(HOSTS.every(({ file }) => shown.includes(file)));
  const edge = Array.from(page.matchAll(/^\[`tests\/edge\/([a-z_]+)\//gm), ([, subject]) => subject);
  assert.deepEqual(edge, ["workers", "service_worker", "service_worker", "nextjs", "sveltekit"]);
});

test("docs/hosts.md names every deviation that is tested", () => {
  for (const { deviations } of HOSTS) for (const { says } of deviations) assert.ok(page.includes(`- ${says}.\n`), says);
});

test("every link within docs/hosts.md leads to a heading", () => {
  const headings = Array.from(
    page.matchAll(/^#+ (.*)$/gm),
    ([, title = ""]) => title.toLowerCase().replaceAll(" ", "-"),
  );
  for (const [, anchor = ""] of page.matchAll(/\]\(#([^)]+)\)/g)) assert.ok(headings.includes(anchor), anchor);
});
