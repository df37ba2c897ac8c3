/** Workers in workerd, which miniflare starts. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { Miniflare, type WorkerOptions } from "miniflare";
import { type Deviation, exactly, unknownMethod } from "../../../support/http/deviation.ts";
import { NO_PROC, testUnless } from "../../../support/system/commands.ts";

const PACKAGES = new URL("../node_modules/.deno/", import.meta.url);
const hasRuntime = readdirSync(PACKAGES).some((name) => name.startsWith("@cloudflare+workerd-"));

const NO_RUNTIME = hasRuntime ? false : "there is no workerd package for this machine";

export const testWorkers = testUnless(NO_RUNTIME);

/** Defines a test that kills workerd. */
export const testKill = testUnless(NO_RUNTIME || NO_PROC);

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
  /** The folder of the databases. Default: in memory. */
  folder?: string;
  bindings?: WorkerOptions["bindings"];
}

export class Workers implements AsyncDisposable {
  readonly miniflare: Miniflare;
  readonly #names: string[];

  constructor({ scripts, databases = 1, folder, bindings = {} }: WorkersOptions) {
    const names = this.#names = scripts.map((_, i) => `worker-${i}`);
    const d1Databases = Array.from({ length: databases }, (_, i) => [`DB${i}`, `database-${i}`]);
    this.miniflare = new Miniflare({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      d1Persist: folder ?? false,
      durableObjectsPersist: folder ?? false,
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

  /** Ends workerd by SIGKILL, with all its isolates and databases. Dispose of the Workers afterwards. */
  static kill(): void {
    const tasks = readdirSync("/proc/self/task");
    const children = tasks.flatMap((id) => readFileSync(`/proc/self/task/${id}/children`, "utf8").split(" "));
    const found = children.filter((pid) => pid !== "" && readFileSync(`/proc/${pid}/comm`, "utf8") === "workerd\n");
    assert.ok(found.length > 0, "No workerd runs");
    for (const pid of found) Deno.kill(Number(pid), "SIGKILL");
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
