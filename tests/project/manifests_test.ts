/** What the files that package managers read must have in common. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { VERSION } from "../../lib/server/process/version.ts";
import { readPackages } from "../../tools/release/packages.ts";
import { ROOT } from "../support/pages.ts";

test("the manifests of a package agree: the name, the version, also of each other, the licence and the entry points", () => {
  for (const { config, manifest } of readPackages()) {
    assert.deepEqual([manifest.name, manifest.version, manifest.license], [
      config.name,
      config.version,
      config.license,
    ]);
    assert.equal(VERSION, config.version);
    const ranges = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
    for (const [name, range] of ranges) {
      if (name.startsWith("@petstore/")) assert.equal(range, `^${config.version}`, name);
    }
    const sources = typeof config.exports === "string" ? { ".": config.exports } : config.exports;
    // npm has the programs as commands, and not as entry points.
    const programs = config.name === "@petstore/petstore" ? ["./server"] : ["./cli"];
    const published = Object.entries(sources).filter(([entry]) => !programs.includes(entry));
    const expected = published.map(([entry, path]) => {
      const module = `./npm/${path.slice(2).replace(/\.ts$/, "")}`;
      return [entry, { types: `${module}.d.ts`, default: `${module}.js` }];
    });
    const modules = Object.entries(manifest.exports).filter(([, target]) => typeof target === "object");
    assert.deepEqual(Object.fromEntries(modules), Object.fromEntries(expected));
  }
});

test("no lock file names the host of a registry, because each machine may have its own", () => {
  const isInstalled = (name: string) => name === "node_modules";
  const locks = globSync("**/*.lock", { cwd: ROOT, exclude: isInstalled });
  assert.ok(locks.includes("deno.lock"));
  for (const lock of locks) {
    assert.doesNotMatch(readFileSync(new URL(lock, `file://${ROOT}`), "utf8"), /https?:\/\//, lock);
  }
});
