/** The package.json of the npm package. */

/** What deno.json says of the package, for JSR and npm alike. */
interface Config {
  name: string;
  version: string;
  license: string;
  exports: Record<string, string>;
}

/** A package.json, and the modules that it names, without their extension. */
interface Manifest {
  manifest: Record<string, unknown>;
  entryPoints: string[];
}

/** The standalone server is a program for Deno: it is `Deno.serve`, flags and files. On npm nobody could run it. */
const NOT_ON_NPM = ["./server"];

/** There are no `main`, `types` or `import` beside `exports`: every Node, bundler and compiler that can run it reads that. */
export function createManifest({ name, version, license, exports }: Config): Manifest {
  const entries = Object.entries(exports)
    .filter(([path]) => !NOT_ON_NPM.includes(path))
    .map(([path, source]) => [path, source.replace(/\.ts$/, "")] as const);
  const manifest = {
    name,
    version,
    description:
      "A pets REST API as one function from Request to Response: exact int64, real keys, SQLite, PostgreSQL, no dependency",
    keywords: ["petstore", "rest", "api", "openapi", "fetch", "request", "response", "int64", "sqlite", "postgresql"],
    license,
    type: "module",
    sideEffects: false,
    // The first release with node:sqlite and require() of ES modules without a flag.
    engines: { node: ">=22.13.0" },
    exports: {
      ...Object.fromEntries(
        entries.map(([path, module]) => [path, { types: `${module}.d.ts`, default: `${module}.js` }]),
      ),
      "./package.json": "./package.json",
    },
  };
  return { manifest, entryPoints: entries.map(([, module]) => module) };
}
