/** Workers in workerd, which miniflare starts. */

import { readdirSync } from "node:fs";
import { Miniflare, type WorkerOptions } from "miniflare";
import { testUnless } from "../../../support/system/commands.ts";

const PACKAGES = new URL("../node_modules/.deno/", import.meta.url);
const hasRuntime = readdirSync(PACKAGES).some((name) => name.startsWith("@cloudflare+workerd-"));

export const testWorkers = testUnless(hasRuntime ? false : "there is no workerd package for this machine");

const COMPATIBILITY_DATE = "2026-07-01";

/** Workers on the same databases. */
interface WorkersOptions {
  /** The module of each Worker. */
  scripts: readonly string[];
  bindings?: WorkerOptions["bindings"];
  compatibilityDate?: string;
}

export class Workers implements AsyncDisposable {
  readonly #miniflare: Miniflare;
  readonly #names: string[];

  constructor({ scripts, bindings = {}, compatibilityDate = COMPATIBILITY_DATE }: WorkersOptions) {
    const names = this.#names = scripts.map((_, i) => `worker-${i}`);
    this.#miniflare = new Miniflare({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      workers: scripts.map((script, i): WorkerOptions => ({
        name: names[i]!,
        modules: true,
        script,
        bindings,
        compatibilityDate,
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
        d1Databases: { DB: "database" },
        ...script.includes("PetsObject") && {
          durableObjects: { PETS: { className: "PetsObject", useSQLite: true } },
        },
      })),
    });
  }

  /** The origin of each Worker. */
  async origins(): Promise<string[]> {
    const urls: URL[] = [];
    for (const name of this.#names) urls.push(await this.#miniflare.unsafeGetDirectURL(name));
    return urls.map(({ origin }) => origin);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#miniflare.dispose();
  }
}
