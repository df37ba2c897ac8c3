/** The package's types in strict projects that also check the declarations of their libraries. */

import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { testUnless } from "../../support/system/commands.ts";
import { npm, succeed, withProject } from "./support/project.ts";
import { fileOf, NODE, versionOf } from "./support/runtimes.ts";

/** The oldest and the newest that the README names. They show what those between them would. */
const OLDEST = versionOf("typescript-5");
const NEWEST = versionOf("typescript-7");

const STRICT = {
  noEmit: true,
  target: "ES2020",
  strict: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
};

const BUNDLER = { module: "preserve", moduleResolution: "bundler" };

/** How modules are resolved, and where the names `Request` and `Response` come from. */
const NODE_NEXT = { module: "nodenext", lib: ["ES2022"], types: ["@types/node"] as const };
const WEB = { ...BUNDLER, lib: ["ES2020", "DOM"], types: [] };
const WORKER = { ...BUNDLER, lib: ["ES2024"], types: ["@cloudflare/workers-types"] as const, skipLibCheck: true };

interface Options {
  types: readonly ("@types/node" | "@cloudflare/workers-types")[];
}

interface Project {
  what: string;
  compiler?: string;
  options: Options;
  files?: string[];
}

const PROJECTS: readonly Project[] = [
  { what: "a strict project with nodenext and @types/node", compiler: OLDEST, options: NODE_NEXT },
  { what: "a strict project with nodenext and @types/node", options: NODE_NEXT },
  { what: "a strict project with a bundler and the DOM", options: WEB },
  { what: "a Worker with the types of Cloudflare alone", options: WORKER, files: ["worker.mts"] },
];

for (const { what, compiler = NEWEST, options, files = ["strict.mts", "strict.cts"] } of PROJECTS) {
  testUnless(NODE.skip)(
    `TypeScript ${compiler} accepts ${what}`,
    () =>
      withProject(npm(NODE), async (folder) => {
        // The packages are linked where npm would install them, because the registry does not have them.
        for (const name of options.types) {
          symlinkSync(dirname(fileOf(name, versionOf(name), "")), join(folder, "node_modules", dirname(name)), "dir");
        }
        const config = { compilerOptions: { ...STRICT, ...options }, files };
        writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
        await succeed(NODE.command, [fileOf("typescript", compiler, "bin/tsc"), "--project", "."], folder);
      }),
  );
}
