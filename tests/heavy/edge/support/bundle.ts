/** Bundles the mounting files with the library, as each host needs them. */

import { build, type Plugin, stop as stopBundler } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SOURCES } from "../../../support/entry_points.mjs";

/** Call it after the last bundle: the bundler would keep the process alive. */
export { stopBundler };

export const EDGE = fileURLToPath(new URL("../", import.meta.url));

export interface BundleParts {
  /** Replaces `/v1` in a mounting file. */
  basePath?: string;
  /** Replaces `@petstore/petstore`: a module, relative to tests/heavy/edge. */
  petstore?: string;
}

/** Makes one ES module from a file of tests/heavy/edge. */
export async function bundle(file: string, parts: BundleParts = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [EDGE + file],
    absWorkingDir: EDGE,
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    logLevel: "error",
    external: ["cloudflare:*"],
    plugins: [resolving(parts), rebasing(parts.basePath)],
  });
  return outputFiles[0]!.text;
}

function resolving(parts: BundleParts): Plugin {
  const { petstore = "support/contract_petstore.ts" } = parts;
  return {
    name: "resolving",
    setup(build) {
      build.onResolve({ filter: /^@petstore\/petstore$/ }, () => ({ path: join(EDGE, petstore) }));
      build.onResolve({ filter: /^@petstore\/edge\/d1$/ }, () => ({ path: join(EDGE, "support/d1.ts") }));
      build.onResolve({ filter: /^@petstore\// }, ({ path }) => {
        const source = SOURCES.get(path);
        return source === undefined ? undefined : { path: fileURLToPath(source) };
      });
      build.onResolve({ filter: /^(node:|ajv)/ }, ({ path, importer }) => {
        // Imports between files of a package.
        if (importer.includes("/node_modules/") || !importer) return undefined;
        if (importer.includes("/lib/hosts/")) return { path, external: true };
        // Only test code that is not run uses these modules.
        return { path, namespace: "empty", sideEffects: false };
      });
      // CommonJS, so that any name may be imported from it.
      build.onLoad({ filter: /./, namespace: "empty" }, () => ({ contents: "module.exports = {};", loader: "js" }));
    },
  };
}

/** The same mounting file at another base path. */
function rebasing(basePath: string | undefined): Plugin {
  return {
    name: "rebasing",
    setup(build) {
      if (basePath === undefined) return;
      build.onLoad({ filter: /\/workers\/([a-z0-9]+\/)?[a-z_]+\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        const contents = text.replace('BASE_PATH = "/v1"', `BASE_PATH = ${JSON.stringify(basePath)}`);
        return { contents, loader: "ts" };
      });
    },
  };
}
