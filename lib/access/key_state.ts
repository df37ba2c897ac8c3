/**
 * What a petstore knows of the keys in its store. This is one value, which only `stateAfter()`
 * replaces, when a read of the store has ended. Times are as in `performance.now()`.
 */

import type { Read } from "./key_reads.ts";
import type { KeyRing } from "./key_ring.ts";
import { MAX_AGE_MS, OUTAGE_WITHOUT_WAIT_MS } from "./key_times.ts";

/** What a read has found. */
export interface FoundKeys {
  read: Read;
  /** The valid keys. */
  ring: KeyRing;
  /** The version that the store gave with the keys, so that a later read can ask for changes alone. */
  version: string;
}

export type KeyState =
  /** No read has succeeded yet. The error is that of the last one, and undefined before one has ended. */
  | { kind: "unread"; error: unknown }
  /** The last read has succeeded. */
  | { kind: "known"; keys: FoundKeys; usableUntil: number }
  /** The last read has failed with this error. The keys of an earlier one stay in use. */
  | { kind: "outage"; keys: FoundKeys; usableUntil: number; error: unknown };

/** How a read has ended. A read that takes too long has failed, and may yet find keys. */
export type ReadEnd = { kind: "found" | "found late"; keys: FoundKeys } | { kind: "failed"; error: unknown };

/** The state after a read has ended. It is the same object if the read says nothing new. */
export function stateAfter(state: KeyState, read: Read, end: ReadEnd): KeyState {
  if (isOutdated(state, read)) return state;
  switch (end.kind) {
    case "found":
      return known(end.keys);
    case "found late":
      // The keys count, but an outage ends only with a read that is in time.
      return state.kind === "outage" ? { ...state, keys: end.keys } : known(end.keys);
    case "failed": {
      const { error } = end;
      if (state.kind === "unread") return { kind: "unread", error };
      return { kind: "outage", keys: state.keys, usableUntil: read.beganAt + OUTAGE_WITHOUT_WAIT_MS, error };
    }
  }
}

/** Whether a read that began later has succeeded. Then the store may have changed since this one looked. */
function isOutdated(state: KeyState, read: Read): boolean {
  return state.kind !== "unread" && read.number < state.keys.read.number;
}

function known(keys: FoundKeys): KeyState {
  return { kind: "known", keys, usableUntil: keys.read.beganAt + MAX_AGE_MS };
}
