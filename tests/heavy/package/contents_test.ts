/** The contents of the npm packages, also as a linter of other projects sees them. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { join, posix } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../../tools/release/packages.ts";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { PACKAGES, RELEASED, succeed, tarballOf } from "./support/project.ts";
import { fileOf, NODE, versionOf } from "./support/runtimes.ts";

/** The texts of the files in a package, by their paths. */
function unpack(tarball: string): Map<string, string> {
  const read = (...args: string[]) => execFileSync("tar", args, { encoding: "utf8", maxBuffer: 2 ** 26 });
  const paths = read("-tzf", tarball).trim().split("\n");
  return new Map(paths.map((path) => [path.replace("package/", ""), read("-xzOf", tarball, path)]));
}

for (const { manifest: { name } } of PACKAGES) {
  const texts = unpack(tarballOf(name));

  // That it has its entry points, publint finds out.
  test(`${name} has its documents, no test and no source, and nothing in it names the machine that made it`, () => {
    for (const file of ["README.md", "LICENSE"]) assert.ok(texts.has(file), file);
    for (const [path, text] of texts) {
      assert.doesNotMatch(path, /(^|\/)tests\/|(?<!\.d)\.ts$/);
      for (const folder of [RELEASED, ROOT, join(homedir(), "/")]) {
        assert.ok(!text.includes(folder), `${path}: ${folder}`);
      }
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

  testUnless(NODE.skip)(
    `publint finds no error, no warning and no suggestion in ${name}`,
    () =>
      withTempFolder(async (folder) => {
        const tool = fileOf("publint", versionOf("publint"), "src/cli.js");
        const { stdout } = await succeed(NODE.command, [tool, "run", "--strict", tarballOf(name)], folder);
        assert.match(stdout, /All good!\s*$/);
        assert.doesNotMatch(stdout, /Suggestions|Warnings|Errors/);
      }),
  );
}
