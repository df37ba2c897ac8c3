/** A release gets its number and date by one command, and another tells what it still needs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { findTasks, notesOf } from "../../tools/release/check.ts";
import { type Package, readPackages } from "../../tools/release/packages.ts";
import { prepareRelease, readTexts } from "../../tools/release/prepare.ts";
import config from "../../deno.json" with { type: "json" };

/** The texts of this tree, whatever its version and however old its CHANGELOG is, as they are when 9.8.7 comes next. */
const TEXTS = prepareRelease(readTexts(), config.version, "9.8.7", undefined)
  .set("page.md", "One.\n\n<!-- before the first release -->\n\nIt is not published\nyet.\n\n<!-- end -->\n\nTwo.\n");

/** The same once what has changed is written down. */
const READY = new Map(TEXTS).set(
  "CHANGELOG.md",
  TEXTS.get("CHANGELOG.md")!.replace("## [9.8.7] - unreleased\n", "$&\nPets can fly.\n"),
);

/** The packages with the manifests of these texts, and with the addresses that a maintainer fills in. */
function packagesIn(texts: ReadonlyMap<string, string>): Package[] {
  const filled = { author: "A", repository: { url: "git+https://code.example/petstore.git" } };
  return readPackages().map(({ folder }) => {
    const read = (file: string) => JSON.parse(texts.get(folder === "." ? file : `${folder}/${file}`)!);
    return { folder, config: read("deno.json"), manifest: { ...read("package.json"), ...filled } };
  });
}

test("release:prepare begins a version, and writes its number wherever that of now stands", () => {
  assert.match(TEXTS.get("CHANGELOG.md")!, /\n## \[9\.8\.7\] - unreleased\n\n## \[/);
  assert.match(TEXTS.get("README.md")!, /^Petstore 9\.8\.7 listens/m);
  for (const { folder, config, manifest } of packagesIn(TEXTS)) {
    assert.deepEqual([config.version, manifest.version], ["9.8.7", "9.8.7"], folder);
  }
  for (const path of ["lib/server/process/version.ts", "packages/conformance/lib/version.ts"]) {
    assert.match(TEXTS.get(path)!, /VERSION = "9\.8\.7"/, path);
  }
  assert.throws(() => prepareRelease(TEXTS, "9.8.7", "9.8.7", "2027-01-31"), /below it what has changed$/);
  assert.throws(() => prepareRelease(TEXTS, "9.8.7", "next", "2027-01-31"), /A version is like 1\.2\.3/);
  // Measurements were made with the version that they name.
  for (const [path, text] of readTexts()) if (path.startsWith("bench/")) assert.equal(TEXTS.get(path), text);
});

test("release:prepare dates the release, and removes what is true only before the first one", () => {
  const dated = prepareRelease(READY, "9.8.7", "9.8.7", "2027-01-31");
  assert.match(dated.get("CHANGELOG.md")!, /^## \[9\.8\.7\] - 2027-01-31\n\nPets can fly\.\n/m);
  assert.equal(dated.get("page.md"), "One.\n\nTwo.\n");
  for (const [path, text] of dated) assert.doesNotMatch(text, /before the first release -->|<!-- end -->/, path);
});

test("a pre-release has its own number, and the changes of the version that it is to become", () => {
  const first = prepareRelease(READY, "9.8.7", "9.8.7-rc.0", "2027-01-31");
  const second = prepareRelease(first, "9.8.7-rc.0", "9.8.7-rc.1", "2027-02-01");
  for (const [texts, version] of [[first, "9.8.7-rc.0"], [second, "9.8.7-rc.1"]] as const) {
    assert.deepEqual(findTasks(packagesIn(texts), texts, `v${version}`), []);
    assert.ok(texts.get("README.md")!.includes(`\nPetstore ${version} listens`));
    assert.equal(notesOf(version, texts.get("CHANGELOG.md")), "Pets can fly.");
    for (const path of ["CHANGELOG.md", "page.md"]) assert.equal(texts.get(path), READY.get(path));
  }
  const released = prepareRelease(second, "9.8.7-rc.1", "9.8.7", "2027-02-02");
  assert.deepEqual(released, prepareRelease(READY, "9.8.7", "9.8.7", "2027-02-02"));
});

test("release:check finds nothing in a prepared checkout, and names what a page says too early with its place", () => {
  const dated = prepareRelease(READY, "9.8.7", "9.8.7", "2027-01-31");
  assert.deepEqual(findTasks(packagesIn(dated), dated, "v9.8.7"), []);
  const stale = new Map([...dated, ["docs/http.md", "One.\n\nIt is not published\nyet.\n"]]);
  assert.deepEqual(findTasks(packagesIn(dated), stale, undefined), ['remove "not published yet" from docs/http.md:3']);
});

test("release:check names empty addresses, other versions, a CHANGELOG without a date, and another tag", () => {
  const [house, ...others] = packagesIn(TEXTS);
  const unnamed = { ...house!, manifest: { ...house!.manifest, author: "", repository: { url: "" } } };
  const tasks = findTasks([unnamed, ...others], TEXTS, "v0.0.1");
  assert.deepEqual(tasks.filter((task) => !task.startsWith("remove ")), [
    "fill in author in package.json",
    "fill in repository.url in package.json",
    "run deno task release:prepare 9.8.7, which dates CHANGELOG.md",
    "name the tag v9.8.7, not v0.0.1",
  ]);
  const older = others.map((each) => ({ ...each, manifest: { ...each.manifest, version: "0.0.1" } }));
  const found = findTasks([house!, ...older], TEXTS, undefined);
  for (const { folder } of older) {
    assert.ok(found.includes(`write version 9.8.7, not 0.0.1, in ${folder}/package.json`), folder);
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
