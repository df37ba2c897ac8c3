/** The package's types in strict projects that also check the declarations of their libraries. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "../../support/system/commands.ts";
import { npm, withProject } from "./support/project.ts";
import { succeed } from "./support/run.ts";
import { fileOf, NODE, versionOf } from "./support/runtimes.ts";

/** The oldest and the newest that the README names. They show what those between them would. */
const OLDEST = versionOf("typescript-5"), NEWEST = versionOf("typescript-7");

/** The ways in which modules are resolved, and where the names `Request` and `Response` come from. */
const NODE_NEXT = { module: "nodenext", moduleResolution: "nodenext", lib: ["ES2022"], types: ["node"] };
const BUNDLER = { module: "preserve", moduleResolution: "bundler", lib: ["ES2020", "DOM"], types: [] };

const PROJECTS: readonly [what: string, compiler: string, options: Record<string, unknown>][] = [
  ["nodenext and @types/node", OLDEST, NODE_NEXT],
  ["nodenext and @types/node", NEWEST, NODE_NEXT],
  ["a bundler and the DOM", NEWEST, BUNDLER],
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

for (const [what, compiler, options] of PROJECTS) {
  testUnless(NODE.skip)(
    `TypeScript ${compiler} accepts a strict project with ${what}`,
    () =>
      withProject(npm(NODE), async (folder) => {
        if (options === NODE_NEXT) addNodeTypes(folder);
        await compile(compiler, folder, { ...STRICT, ...options });
      }),
  );
}

testUnless(NODE.skip)(
  "TypeScript accepts a Worker with the types of Cloudflare alone",
  () =>
    withProject(npm(NODE), async (folder) => {
      const name = "@cloudflare/workers-types";
      mkdirSync(join(folder, "node_modules", "@cloudflare"));
      symlinkSync(fileOf(name, versionOf(name), ""), join(folder, "node_modules", name), "dir");
      const options = { ...STRICT, ...BUNDLER, lib: ["ES2024"], types: [name], skipLibCheck: true };
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
): Promise<void> {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  await succeed(NODE.command, [fileOf("typescript", version, "bin/tsc"), "--project", "."], folder);
}
