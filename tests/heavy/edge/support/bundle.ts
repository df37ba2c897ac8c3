/** Bundles the mounting files with the library, as each host needs them. */

import { build, type Plugin, stop as stopBundler } from "esbuild";
import { fileURLToPath } from "node:url";
import { SOURCES } from "../../../support/entry_points.mjs";

/** Call it after the last bundle: the bundler would keep the process alive. */
export { stopBundler };

export const EDGE = fileURLToPath(new URL("../", import.meta.url));

/** Makes one ES module from a file of tests/heavy/edge. */
export async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [EDGE + file],
    absWorkingDir: EDGE,
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    logLevel: "error",
    external: ["cloudflare:*", "node:*"],
    plugins: [RESOLVING],
  });
  return outputFiles[0]!.text;
}

const RESOLVING: Plugin = {
  name: "resolving",
  setup(build) {
    build.onResolve({ filter: /^@petstore\// }, ({ path }) => {
      const source = SOURCES.get(path);
      return source === undefined ? undefined : { path: fileURLToPath(source) };
    });
  },
};
