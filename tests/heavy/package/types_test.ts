/** The package's types in strict projects that also check the declarations of their libraries. */

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "../../support/system/commands.ts";
import { npm, withProject } from "./support/project.ts";
import { succeed } from "./support/run.ts";
import { fileOf, NODE, versionOf } from "./support/runtimes.ts";

/** The oldest and the newest that the README names. They show what those between them would. */
const OLDEST = versionOf("typescript-5"), NEWEST = versionOf("typescript-7");

interface Project {
  what: string;
  moduleResolution: string;
  module: string;
  /** What the compiler knows of the language. The oldest that the types accept is ES2020. */
  lib: string[];
  types: string[];
  compilers: readonly string[];
}

/** A resolution of modules, and the source of the names `Request` and `Response`. */
const PROJECTS: readonly Project[] = [
  {
    what: "nodenext and @types/node",
    moduleResolution: "nodenext",
    module: "nodenext",
    lib: ["ES2022"],
    types: ["node"],
    compilers: [OLDEST, NEWEST],
  },
  {
    what: "a bundler and the DOM",
    moduleResolution: "bundler",
    module: "preserve",
    lib: ["ES2020", "DOM"],
    types: [],
    compilers: [NEWEST],
  },
];

const STRICT = {
  noEmit: true,
  target: "ES2020",
  strict: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
};

for (const { what, compilers, ...project } of PROJECTS) {
  for (const compiler of compilers) {
    testUnless(NODE.skip)(
      `TypeScript ${compiler} accepts a strict project with ${what}`,
      () =>
        withProject(npm(NODE), async (folder) => {
          if (project.types.length > 0) addNodeTypes(folder);
          const { stdout } = await compile(compiler, folder, { ...STRICT, ...project });
          // It compiled the package, not the sources of this repository.
          assert.match(
            stdout,
            /node_modules\/@petstore\/petstore\/npm\/lib\/stores\/sqlite\/create_sqlite_store\.d\.ts$/m,
          );
          assert.doesNotMatch(stdout.replaceAll(/^.*\/node_modules\/.*$/gm, ""), /mod\.ts|lib\/petstore/);
        }),
    );
  }
}

testUnless(NODE.skip)(
  "TypeScript accepts a Worker with the types of Cloudflare alone",
  () =>
    withProject(npm(NODE), async (folder) => {
      const name = "@cloudflare/workers-types";
      mkdirSync(join(folder, "node_modules", "@cloudflare"));
      symlinkSync(fileOf(name, versionOf(name), ""), join(folder, "node_modules", name), "dir");
      const { what: _, compilers: __, ...project } = PROJECTS[1]!;
      const options = { ...STRICT, ...project, lib: ["ES2024"], types: [name], skipLibCheck: true };
      await compile(NEWEST, folder, options, ["worker.mts"]);
    }),
);

/** Links the package where npm would install it. */
function addNodeTypes(folder: string): void {
  const types = fileOf("@types/node", versionOf("@types/node"), "");
  symlinkSync(join(types, ".."), join(folder, "node_modules", "@types"), "dir");
}

async function compile(
  version: string,
  folder: string,
  compilerOptions: unknown,
  files: readonly string[] = ["strict.mts", "strict.cts"],
) {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  return await succeed(
    NODE.command,
    [fileOf("typescript", version, "bin/tsc"), "--project", ".", "--listFiles"],
    folder,
  );
}
