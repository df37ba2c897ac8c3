/** The contents of the npm packages. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, posix } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { PACKAGES, ROOT, tarballOf } from "./support/project.ts";

/** The texts of the files in a package, by their paths. */
function unpack(tarball: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-unpacked-"));
  try {
    execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const { manifest: { name, exports } } of PACKAGES) {
  const texts = unpack(tarballOf(name));

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

test("the main package is small, but for the files of Swagger UI that the server shows", () => {
  const tarball = tarballOf("@petstore/petstore");
  const own = [...unpack(tarball)].filter(([path]) => !/swagger_ui\.json$|^(docs|bench)\//.test(path));
  const size = own.reduce((sum, [, text]) => sum + text.length, 0);
  assert.ok(size < 1_100_000, `${size} characters without Swagger UI and the pages`);
  const packed = statSync(tarball).size;
  assert.ok(packed < 1_000_000, `${packed} bytes packed`);
});
