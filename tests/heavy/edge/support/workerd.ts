/** Workers in workerd, which miniflare starts. */

import { readdirSync } from "node:fs";
import { Miniflare, type WorkerOptions } from "miniflare";
import { type Deviation, exactly, unknownMethod } from "../../../support/http/deviation.ts";
import { testUnless } from "../../../support/system/commands.ts";

const PACKAGES = new URL("../node_modules/.deno/", import.meta.url);
const hasRuntime = readdirSync(PACKAGES).some((name) => name.startsWith("@cloudflare+workerd-"));

export const testWorkers = testUnless(hasRuntime ? false : "there is no workerd package for this machine");

export const UNKNOWN_METHOD: Deviation = unknownMethod(
  "gets 501 and plain text from workerd",
  exactly(501, "ERROR: Unrecognized request method."),
);

export const COMPATIBILITY_DATE = "2026-07-01";

/** Workers on the same databases. */
interface WorkersOptions {
  /** The module of each Worker. */
  scripts: readonly string[];
  /** How many D1 databases there are beside DB, with the bindings DB0, DB1, … Default: 1. */
  databases?: number;
  bindings?: WorkerOptions["bindings"];
}

export class Workers implements AsyncDisposable {
  readonly miniflare: Miniflare;
  readonly #names: string[];

  constructor({ scripts, databases = 1, bindings = {} }: WorkersOptions) {
    const names = this.#names = scripts.map((_, i) => `worker-${i}`);
    const d1Databases = Array.from({ length: databases }, (_, i) => [`DB${i}`, `database-${i}`]);
    this.miniflare = new Miniflare({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      workers: scripts.map((script, i): WorkerOptions => ({
        name: names[i]!,
        modules: true,
        script,
        bindings,
        compatibilityDate: COMPATIBILITY_DATE,
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
        d1Databases: { DB: "database", ...Object.fromEntries(d1Databases) },
        // All Workers use the objects of the first.
        ...scripts[0]!.includes("PetsObject") && {
          durableObjects: { PETS: { className: "PetsObject", useSQLite: true, ...i > 0 && { scriptName: names[0]! } } },
        },
      })),
    });
  }

  /** The origin of each Worker. */
  async origins(): Promise<string[]> {
    const urls: URL[] = [];
    for (const name of this.#names) urls.push(await this.miniflare.unsafeGetDirectURL(name));
    return urls.map(({ origin }) => origin);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.miniflare.dispose();
  }
}

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** A test with an empty database, which no Worker uses. */
export function testD1(title: string, use: (database: Database) => Promise<void>): void {
  testWorkers(title, async () => {
    await using workers = new Workers({ scripts: ["export default { fetch: () => new Response() }"] });
    await use(await workers.miniflare.getD1Database("DB"));
  });
}
