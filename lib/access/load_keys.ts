/** Reads the keys of a store, and makes a ring of those that are valid. */

import type { KeySnapshot, KeyStore, StoredKey } from "../stores/key_store.ts";
import { type KeyRecord, KeyRing } from "./key_ring.ts";

/** What a read of the keys has found. */
export interface LoadedKeys {
  /** The version that the store gave with the keys, so that a later read can ask for changes alone. */
  version: string;
  ring: KeyRing;
}

/**
 * @param fixed Keys that are valid beside those of the store.
 * @param last What the last read has found. It is returned again if nothing has changed.
 */
export async function loadKeys(
  store: KeyStore,
  fixed: readonly KeyRecord[],
  last: LoadedKeys | undefined,
): Promise<LoadedKeys> {
  const { version, keys } = await readSince(store, last?.version ?? "");
  if (!keys && last) return last;
  // The store leaves the keys out if they are those of the version that it was given. At the first read that is "", which is the version
  // of no keys.
  const valid = (keys ?? []).filter(({ revoked }) => !revoked);
  const ring = await new KeyRing().add([...fixed, ...valid.map(recordOf)]);
  return { version, ring };
}

async function readSince(store: KeyStore, version: string): Promise<KeySnapshot> {
  if (store.listSince) return await store.listSince(version);
  return { version, keys: await store.list() };
}

function recordOf({ digest, caller, expires, readOnly }: StoredKey): KeyRecord {
  return { key: { digest }, caller, expires: expires?.getTime() ?? Infinity, readOnly };
}
