/** The package.json of the npm package. */

import type { Project } from "./project.ts";

interface Config {
  name: string;
  version: string;
  license: string;
  exports: Record<string, string>;
}

/** A package.json, and the modules that it exports, without their extension. */
interface Manifest {
  manifest: Record<string, unknown>;
  entryPoints: string[];
}

/** The program for Deno. npm's package has the one for Node, as the command `petstore`. */
const NOT_ON_NPM = ["./server"];

/** The program for Node, without its extension. */
export const PROGRAM = "./lib/server/node/main";

/** Every Node and bundler that can use the package reads `exports`. TypeScript with `moduleResolution: node10` does not. */
export function createManifest({ name, version, license, exports }: Config, project: Project): Manifest {
  const { repository, homepage, bugs } = project;
  const entries = Object.entries(exports)
    .filter(([path]) => !NOT_ON_NPM.includes(path))
    .map(([path, source]) => [path, source.replace(/\.ts$/, "")] as const);
  const manifest = {
    name,
    version,
    description:
      "The OpenAPI pet store as a server, or one function from Request to Response: exact int64, real API keys, no dependency",
    keywords: ["petstore", "rest", "api", "openapi", "server", "mock-server", "fetch", "int64", "sqlite", "postgresql"],
    license,
    ...repository && { repository: { type: "git", url: repository } },
    ...homepage && { homepage },
    ...bugs && { bugs: { url: bugs } },
    type: "module",
    sideEffects: false,
    // The first release with node:sqlite and require() of ES modules without a flag.
    engines: { node: ">=22.13.0" },
    bin: { petstore: `${PROGRAM}.js` },
    main: `${entries[0]![1]}.js`,
    types: `${entries[0]![1]}.d.ts`,
    typesVersions: {
      "*": Object.fromEntries(entries.slice(1).map(([path, module]) => [path.slice(2), [`${module}.d.ts`]])),
    },
    exports: {
      ...Object.fromEntries(
        entries.map(([path, module]) => [path, { types: `${module}.d.ts`, default: `${module}.js` }]),
      ),
      "./package.json": "./package.json",
    },
  };
  return { manifest, entryPoints: entries.map(([, module]) => module) };
}
