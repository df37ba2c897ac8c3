/** Bundles the mounting files with the library, as each host needs them. */

import { build, type Plugin } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const EDGE = fileURLToPath(new URL("../", import.meta.url));

export interface BundleParts {
  /** Replaces `/v1` in a mounting file. */
  basePath?: string;
  /** Replaces `@petstore/petstore`: a module, relative to tests/edge. */
  petstore?: string;
  /** Packages in place of `node:` modules. Other `node:` modules become empty: only test code that is not run uses them. */
  standIns?: Record<string, string>;
}

/** Makes one ES module from a file of tests/edge. */
export async function bundle(file: string, parts: BundleParts = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [EDGE + file],
    absWorkingDir: EDGE,
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    logLevel: "error",
    // The stand-ins need these.
    define: { process: '{"env":{},"stderr":{}}', global: "globalThis" },
    external: ["cloudflare:*"],
    plugins: [resolving(parts), rebasing(parts.basePath)],
  });
  return outputFiles[0]!.text;
}

function resolving({ petstore = "support/contract_petstore.ts", standIns = {} }: BundleParts): Plugin {
  return {
    name: "resolving",
    setup(build) {
      build.onResolve({ filter: /^@petstore\/petstore$/ }, () => ({ path: join(EDGE, petstore) }));
      build.onResolve({ filter: /^(node:|ajv)/ }, ({ path, importer }) => {
        // Imports between files of a package.
        if (importer.includes("/node_modules/") || !importer) return undefined;
        if (importer.includes("/lib/hosts/")) return { path, external: true };
        const standIn = standIns[path];
        if (standIn === undefined) return { path, namespace: "empty", sideEffects: false };
        return build.resolve(standIn, { resolveDir: EDGE, kind: "import-statement" });
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
      build.onLoad({ filter: /\/(workers|service_worker)\/[a-z_]+\.(ts|js)$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        return { contents: text.replace('BASE_PATH = "/v1"', `BASE_PATH = ${JSON.stringify(basePath)}`), loader: "ts" };
      });
    },
  };
}
