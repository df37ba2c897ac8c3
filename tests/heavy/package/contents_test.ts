/** The contents of the npm packages. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, posix } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { PACKAGES, ROOT, tarballOf } from "./support/project.ts";
import { readTarball } from "./support/tar.ts";

for (const { manifest: { name, exports } } of PACKAGES) {
  const entries = readTarball(readFileSync(tarballOf(name)));
  const texts = new Map(entries.map(({ path, text }) => [path.replace(/^package\//, ""), text]));

  test(`${name} has its entry points with their types, and its documents`, () => {
    for (const target of Object.values(exports)) {
      const files = typeof target === "string" ? [target] : [target.types, target.default];
      for (const file of files) assert.ok(texts.has(posix.normalize(file)), file);
    }
    for (const file of ["README.md", "LICENSE", "package.json"]) assert.ok(texts.has(file), file);
    assert.ok(![...texts.keys()].some((path) => /(^|\/)tests\//.test(path) || /(?<!\.d)\.ts$/.test(path)));
  });

  test(`nothing in ${name} names the machine that made it`, () => {
    const folders = [ROOT, homedir(), process.cwd()].filter((folder) => folder.length > 1);
    for (const [path, text] of texts) {
      for (const folder of folders) assert.ok(!text.includes(join(folder, "/")), `${path}: ${folder}`);
      assert.doesNotMatch(text, /file:\/\/\/|sourceMappingURL/, path);
    }
  });

  test(`every link of the pages in ${name} is absolute, or leads to a file that the package has`, () => {
    const dead = [...texts].filter(([path]) => path.endsWith(".md")).flatMap(([page, text]) => {
      const links = text.matchAll(/\]\((?!https?:|#)([^)#\s]*)/g);
      return Array.from(links, ([, link = ""]) => posix.join(posix.dirname(page), decodeURIComponent(link)))
        .filter((path) => !texts.has(path)).map((path) => `${page}: ${path}`);
    });
    assert.deepEqual(dead, []);
  });
}

test("the house is small, but for the files of Swagger UI that the server shows", () => {
  const bytes = readFileSync(tarballOf("@petstore/petstore"));
  const own = readTarball(bytes).filter(({ path }) => !/swagger_ui\.json$|^package\/(docs|bench)\//.test(path));
  const size = own.reduce((sum, { size }) => sum + size, 0);
  assert.ok(size < 1_100_000, `${size} bytes without Swagger UI and the pages`);
  assert.ok(bytes.length < 1_000_000, `${bytes.length} bytes packed`);
});
