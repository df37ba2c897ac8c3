/** The mounting files as the hosts want them: bundled, with the library of the contract beneath. */

import { build, type Plugin } from "esbuild";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export const EDGE = fileURLToPath(new URL("../", import.meta.url));

/** What a bundle is made with. */
export interface BundleParts {
  /** Takes the place of `/v1` in a mounting file. */
  basePath?: string;
  /** A module, relative to this subject's folder, in place of `@petstore/petstore`. */
  petstore?: string;
  /** Packages that stand in for `node:` modules; whatever else a host has not is left empty, since only tests use it. */
  standIns?: Record<string, string>;
}

/** One file of ECMAScript from a TypeScript file of this subject's folder. */
export async function bundle(file: string, parts: BundleParts = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [EDGE + file],
    absWorkingDir: EDGE,
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    logLevel: "error",
    // What the stand-ins take for granted.
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
      build.onResolve({ filter: /^@petstore\/petstore$/ }, () => ({ path: EDGE + petstore }));
      build.onResolve({ filter: /^(node:|ajv)/ }, ({ path, importer }) => {
        // Packages find their own parts by themselves.
        if (importer.includes("/node_modules/") || !importer) return undefined;
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
