/** A release gets its number and date by one command, and another tells what it still needs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { findTasks, notesOf } from "../../tools/release/check.ts";
import { readPackages } from "../../tools/release/packages.ts";
import { prepareRelease, readTexts } from "../../tools/release/prepare.ts";
import config from "../../deno.json" with { type: "json" };

const TEXTS = readTexts();

test("release:prepare begins a version, then dates it, and writes its number wherever that of now stands", () => {
  const begun = prepareRelease(TEXTS, config.version, "9.8.7", undefined);
  assert.match(begun.get("CHANGELOG.md")!, /\n## \[9\.8\.7\] - unreleased\n\n## \[/);
  assert.match(begun.get("README.md")!, /^Petstore 9\.8\.7 listens/m);
  for (const { folder } of readPackages()) {
    const path = folder === "." ? "" : `${folder}/`;
    for (const file of ["deno.json", "package.json"]) {
      assert.equal(JSON.parse(begun.get(path + file)!).version, "9.8.7", path + file);
    }
  }
  assert.match(begun.get("lib/version.ts")!, /VERSION = "9\.8\.7"/);
  assert.throws(() => prepareRelease(begun, "9.8.7", "9.8.7", "2027-01-31"), /below it what has changed$/);
  assert.throws(() => prepareRelease(TEXTS, config.version, "next", "2027-01-31"), /A version is like 1\.2\.3/);
  // Measurements were made with the version that they name.
  for (const [path, text] of begun) if (path.startsWith("bench/")) assert.equal(text, TEXTS.get(path));
});

test("release:prepare dates the release, and removes what is true only before the first one", () => {
  const dated = prepareRelease(TEXTS, config.version, config.version, "2027-01-31");
  assert.match(
    dated.get("CHANGELOG.md")!,
    new RegExp(`^## \\[${RegExp.escape(config.version)}\\] - 2027-01-31\n\n\\S`, "m"),
  );
  for (const [path, text] of dated) assert.doesNotMatch(text, /before the first release -->|<!-- end -->/, path);
});

const KNOWN = readPackages().map((each) => ({
  ...each,
  manifest: { ...each.manifest, author: "A", repository: { url: "git+https://code.example/petstore.git" } },
}));

test("release:check finds nothing in a prepared checkout, and names what a page says too early with its place", () => {
  const dated = prepareRelease(TEXTS, config.version, config.version, "2027-01-31");
  assert.deepEqual(findTasks(KNOWN, dated, `v${config.version}`), []);
  const stale = new Map([...dated, ["docs/http.md", "One.\n\nIt is not published\nyet.\n"]]);
  assert.deepEqual(findTasks(KNOWN, stale, undefined), ['remove "not published yet" from docs/http.md:3']);
});

test("release:check names empty addresses, other versions, a CHANGELOG without a date, and another tag", () => {
  const [house, ...others] = readPackages();
  const tasks = findTasks([house!, ...KNOWN.slice(1)], TEXTS, "v0.0.1");
  assert.deepEqual(tasks.filter((task) => !task.startsWith("remove ")), [
    "fill in author in package.json",
    "fill in repository.url in package.json",
    `run deno task release:prepare ${config.version}, which dates CHANGELOG.md`,
    `name the tag v${config.version}, not v0.0.1`,
  ]);
  const older = others.map((each) => ({ ...each, manifest: { ...each.manifest, version: "0.0.1" } }));
  const found = findTasks([house!, ...older], TEXTS, undefined);
  for (const { folder } of older) {
    assert.ok(found.includes(`write version ${config.version}, not 0.0.1, in ${folder}/package.json`), folder);
  }
});

test("the manifests of a package agree: the name, the version, the licence and the entry points", () => {
  for (const { config, manifest } of readPackages()) {
    assert.deepEqual([manifest.name, manifest.version, manifest.license], [
      config.name,
      config.version,
      config.license,
    ]);
    const sources = typeof config.exports === "string" ? { ".": config.exports } : config.exports;
    // The programs; npm has them as commands.
    const programs = config.name === "@petstore/petstore" ? ["./server"] : ["./cli"];
    const published = Object.fromEntries(Object.entries(sources).filter(([entry]) => !programs.includes(entry)));
    const expected = Object.entries(published).map(([entry, path]) => {
      const module = `./npm/${path.slice(2).replace(/\.ts$/, "")}`;
      return [entry, { types: `${module}.d.ts`, default: `${module}.js` }];
    });
    const modules = Object.entries(manifest.exports).filter(([, target]) => typeof target === "object");
    assert.deepEqual(Object.fromEntries(modules), Object.fromEntries(expected));
  }
});

test("the notes of a release are its section of the CHANGELOG", () => {
  const changelog = "# Changelog\n\n## [1.1.0] - 2027-02-01\n\nSecond.\n\n## [1.0.0] - 2027-01-01\n\nFirst.\n";
  assert.deepEqual([notesOf("1.1.0", changelog), notesOf("1.0.0", changelog)], ["Second.", "First."]);
});
