/** What a start does with its store before the first request. */

import { dirname, join } from "node:path";
import { type FirstKey, makeTemporaryKey, provideFirstKey } from "../first_key/first_key.ts";
import type { Report } from "../process/writers.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import type { OpenStore, StoreSetting } from "../store_setting/store_setting.ts";
import { followLinks } from "../../stores/sqlite/file_names.ts";
import { findUnfinished } from "../../stores/sqlite/remains.ts";
import { seed } from "../transfer/seed.ts";

/**
 * Makes sure that the store can be read, adds the sample pets, and provides an API key.
 *
 * @returns The key for the greeting.
 * @throws {StoreUnavailableError} If the store cannot be read.
 * @throws {SettingError} If its keys cannot be used.
 */
export async function prepareStore(
  store: OpenStore,
  { path, shared }: StoreSetting,
  { faults, allowReset, seed: petCount, keys }: ServerSettings,
  report: Report,
): Promise<FirstKey> {
  await readOnce(store);
  if (faults) report(`some requests fail on purpose: ${JSON.stringify(faults)}`);
  if (allowReset) report("POST /reset with a key that may write removes every pet, and adds those of --seed");
  if (petCount > 0) report(await seed(store, petCount));
  const remains = path === undefined ? [] : findUnfinished(followLinks(path));
  for (const name of remains) {
    report(`${join(dirname(path!), name)} is of a command that was cut short, and can be removed`);
  }
  // If the settings have keys, neither those of the store nor the key file is looked at.
  if (keys.length > 0) return { location: "settings", note: "as set" };
  return shared ? await provideFirstKey(store.keys) : await makeTemporaryKey(store.keys);
}

/**
 * Makes the reads that requests make: of a pet, a page, a page of one status, and the keys. A damaged file may open without a fault, and then
 * fail at each request.
 */
async function readOnce(store: OpenStore): Promise<void> {
  await store.check();
  await store.list({ after: 0n, limit: 1 });
  await store.list({ after: 0n, limit: 1, status: "available" });
  await store.keys.list();
}
