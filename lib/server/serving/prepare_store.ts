/** What a start does with its store before the first request. */

import { dirname, join } from "node:path";
import { type FirstKey, makeTemporaryKey, provideFirstKey } from "../first_key/first_key.ts";
import { startError } from "../process/start_error.ts";
import type { Report } from "../process/writers.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import type { OpenStore, StoreSetting } from "../store_setting/store_setting.ts";
import { followLinks } from "../../stores/sqlite/file_names.ts";
import { findUnfinished } from "../../stores/sqlite/remains.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { seed } from "../transfer/seed.ts";

/**
 * Makes sure that the store can be read, adds the sample pets, and provides an API key.
 *
 * @returns The key for the greeting.
 * @throws {SettingError} If the store cannot be used.
 */
export async function prepareStore(
  store: OpenStore,
  { path, shared }: StoreSetting,
  settings: ServerSettings,
  report: Report,
): Promise<FirstKey> {
  await requireReadable(store);
  if (settings.faults) report(`some requests fail on purpose: ${JSON.stringify(settings.faults)}`);
  if (settings.allowReset) report("POST /reset with a key that may write removes every pet, and adds those of --seed");
  if (settings.seed > 0) report(await seed(store, settings.seed));
  const provideKey = shared ? provideFirstKey : makeTemporaryKey;
  if (path !== undefined) describeRemains(path).forEach(report);
  return await provideKey(settings.keys, store.keys);
}

/**
 * Makes the reads that requests make: of a pet, a page, a page of one status, and the keys. A damaged file may open without a fault, and then
 * fail at each request.
 *
 * @throws {SettingError} If the store cannot be read.
 */
async function requireReadable(store: OpenStore): Promise<void> {
  try {
    await store.check();
    await store.list({ after: 0n, limit: 1 });
    await store.list({ after: 0n, limit: 1, status: "available" });
    await store.keys.list();
  } catch (error) {
    throw error instanceof StoreUnavailableError ? startError(error.message, error) : error;
  }
}

/** Lines about files that a command has left. */
function describeRemains(path: string): string[] {
  return findUnfinished(followLinks(path)).map((name) =>
    `${join(dirname(path), name)} is of a command that was cut short, and can be removed`
  );
}
