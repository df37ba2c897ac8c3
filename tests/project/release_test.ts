/** A release gets its number and date by one command, and another tells what it still needs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { findTasks } from "../../tools/release/check.ts";
import { prepareRelease } from "../../tools/release/prepare.ts";
import { readPage } from "../support/pages.ts";
import config from "../../deno.json" with { type: "json" };

const PATHS = ["CHANGELOG.md", "README.md", "deno.json", "lib/version.ts"];
const TEXTS = new Map(PATHS.map((path) => [path, readPage(path)]));
const KNOWN = { repository: "r", homepage: "h", bugs: "b", documents: "d" };

test("release:prepare begins a release, then dates it, and writes its number wherever that of now stands", () => {
  const begun = prepareRelease(TEXTS, config.version, "9.8.7", undefined);
  assert.match(begun.get("CHANGELOG.md")!, /\n## \[9\.8\.7\] - unreleased\n\n## \[/);
  assert.match(begun.get("README.md")!, /^Petstore 9\.8\.7 listens/m);
  assert.match(begun.get("README.md")!, /petstore-petstore-9\.8\.7\.tgz/);
  assert.equal(JSON.parse(begun.get("deno.json")!).version, "9.8.7");
  assert.match(begun.get("lib/version.ts")!, /VERSION = "9\.8\.7"/);
  assert.throws(() => prepareRelease(begun, "9.8.7", "9.8.7", "2027-01-31"), /below it what has changed$/);
  const changelog = begun.get("CHANGELOG.md")!.replace("unreleased\n", "unreleased\n\n### Fixed\n\n- All.\n");
  const dated = prepareRelease(new Map([...begun, ["CHANGELOG.md", changelog]]), "9.8.7", "9.8.7", "2027-01-31");
  assert.match(dated.get("CHANGELOG.md")!, /\n## \[9\.8\.7\] - 2027-01-31\n\n### Fixed\n\n- All\.\n/);
  assert.deepEqual(findTasks("9.8.7", dated.get("CHANGELOG.md")!, KNOWN, "v9.8.7"), []);
  assert.throws(() => prepareRelease(TEXTS, config.version, "next", "2027-01-31"), /A version is like 1\.2\.3/);
});

test("release:check names missing addresses, a CHANGELOG without the version or its date, and another tag", () => {
  const found = findTasks("0.3.0", "## [0.3.0] - unreleased\n", { ...KNOWN, bugs: "" }, "v0.2.0");
  assert.deepEqual(found, [
    "fill in bugs in tools/package/project.json",
    "run deno task release:prepare 0.3.0, which dates CHANGELOG.md",
    "name the tag v0.3.0, not v0.2.0",
  ]);
  const [task = ""] = findTasks("0.3.0", "## [0.2.0] - 2026-11-26\n", KNOWN, undefined);
  assert.equal(task, "begin CHANGELOG.md with 0.3.0, the version of deno.json, not 0.2.0");
});
