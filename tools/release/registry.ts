/**
 * A registry for npm packages on this machine: Verdaccio, without another registry behind it. The
 * rehearsal of a release uses it.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NODE } from "../../tests/support/server/serve_task.ts";
import { freePort } from "../../tests/support/system/free_port.ts";
import { until } from "../../tests/support/until.ts";

/** A registry that runs. Disposing of it ends the process. */
export interface Registry extends AsyncDisposable {
  /** Variables with which npm, npx, Bun and Deno use it alone. */
  env: Record<string, string>;
}

/**
 * Starts an empty registry, to which everybody on this machine may publish.
 *
 * @param folder Where it keeps its files; made by this function.
 * @param modules The `node_modules` in which Verdaccio is installed.
 * @param home An empty folder, which its users have in place of their own.
 */
export async function startRegistry(folder: string, modules: string, home: string): Promise<Registry> {
  mkdirSync(folder);
  const port = await freePort(), origin = `http://127.0.0.1:${port}`;
  const config = {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: {},
    packages: { "**": { access: "$all", publish: "$all" } },
    middlewares: { audit: { enabled: false } },
    web: { enable: false },
    max_body_size: "50mb",
    log: { type: "stdout", format: "json", level: "warn" },
  };
  const path = join(folder, "config.json");
  writeFileSync(path, JSON.stringify(config));
  const verdaccio = join(modules, "verdaccio/bin/verdaccio");
  const args = [verdaccio, "--config", path, "--listen", `127.0.0.1:${port}`];
  const child = new Deno.Command(NODE, { args, cwd: folder, stdin: "null", stdout: "null", stderr: "inherit" }).spawn();
  await until("an answer of the registry", () => fetch(`${origin}/-/ping`).then(({ ok }) => ok, () => false));
  const npmrc = join(home, ".npmrc");
  // npm wants a token before it publishes; this registry accepts any.
  writeFileSync(npmrc, `registry=${origin}/\n//127.0.0.1:${port}/:_authToken=anyone\n`);
  // In small letters, as npx sets them for what it runs: those win over others.
  const own = { npm_config_userconfig: npmrc, npm_config_registry: `${origin}/` };
  return {
    env: { HOME: home, ...own, NPM_CONFIG_REGISTRY: `${origin}/`, PETSTORE_REGISTRY: origin },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.status;
    },
  };
}
