/** Workers in workerd, which miniflare starts. */

import { readdirSync } from "node:fs";
import type { TestContext } from "node:test";
import { Miniflare } from "miniflare";
import { testUnless } from "../../../support/system/commands.ts";
import { bundle } from "./bundle.ts";
import { APP_KEYS } from "./mounts.ts";

const PACKAGES = new URL("../node_modules/.deno/", import.meta.url);
const hasRuntime = readdirSync(PACKAGES).some((name) => name.startsWith("@cloudflare+workerd-"));
const test = testUnless(hasRuntime ? false : "there is no workerd package for this machine");

/** Two Workers of the same file, which share a D1 database. */
type Run = (origin: string, other: string, context: TestContext) => Promise<void>;

/**
 * A test that starts two Workers.
 *
 * @param file Their file, below tests/heavy/edge. If it has a class `PetsObject`, each Worker has a
 * Durable Object of this class.
 * @param run Gets the origin of each.
 */
export function testWorkers(title: string, file: string, run: Run, compatibilityDate = "2026-07-01"): void {
  test(title, async (context) => {
    const script = await bundle(file);
    const names = ["worker", "other"];
    const miniflare = new Miniflare({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      workers: names.map((name) => ({
        name,
        modules: true,
        script,
        bindings: { PETSTORE_KEYS: APP_KEYS },
        compatibilityDate,
        unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
        d1Databases: { DB: "database" },
        ...script.includes("PetsObject") && {
          durableObjects: { PETS: { className: "PetsObject", useSQLite: true } },
        },
      })),
    });
    try {
      const [first, second] = await Promise.all(names.map((name) => miniflare.unsafeGetDirectURL(name)));
      await run(first!.origin, second!.origin, context);
    } finally {
      await miniflare.dispose();
    }
  });
}
