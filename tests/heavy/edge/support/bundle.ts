/** Bundles a mounting file with the library, as each host needs it. */

import { build, stop } from "esbuild";
import { fileURLToPath } from "node:url";
import { SOURCES } from "../../../support/entry_points.mjs";

export const EDGE = fileURLToPath(new URL("../", import.meta.url));

/** Makes one ES module of a file below tests/heavy/edge. */
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
    alias: Object.fromEntries(Array.from(SOURCES, ([name, url]) => [name, fileURLToPath(url)])),
  });
  // The bundler would keep the process alive.
  await stop();
  return outputFiles[0]!.text;
}
