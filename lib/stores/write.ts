/** Writes, as one type from a store's methods to its disk. A place that forgets a kind does not compile. */

import type { MigratedRequest } from "./earlier_requests.ts";
import type { IdempotentOutcome, PetDraft, StoreChanges } from "./store.ts";

/** What a store is asked to write. */
export type Write =
  | { kind: "create"; pet: PetDraft }
  | { kind: "createOnce"; pet: PetDraft; request: MigratedRequest }
  /** A commit that changes no pet, and shows whether a create would succeed. */
  | { kind: "probe" };

/** The result of a write. */
export type Outcome = IdempotentOutcome | { outcome: "probed" };

/** A write that waits, with the functions that settle its promise. */
export interface PendingWrite {
  write: Write;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Which earlier reads a write makes obsolete: none, last pages, or any. */
const EFFECTS: Record<Write["kind"], "none" | "adds" | "alters"> = {
  create: "adds",
  createOnce: "adds",
  probe: "none",
};

/** Counts a write that is about to be acknowledged. */
export function countWrite(changes: StoreChanges, { kind }: Pick<Write, "kind">): void {
  const effect = EFFECTS[kind];
  if (effect === "adds") changes.additions++;
  if (effect === "alters") changes.alterations++;
}

/** The id of a pet that was created without a request. */
export function createdId(outcome: Outcome): bigint {
  if (outcome.outcome !== "created") throw new Error(`A create had the outcome ${outcome.outcome}`);
  return outcome.id;
}

/** The outcome of a create with a request. */
export function createOutcome(outcome: Outcome): IdempotentOutcome {
  if (outcome.outcome === "probed") throw new Error("A create had the outcome of a probe");
  return outcome;
}

/**
 * The outcome of a create whose request is remembered.
 *
 * @param known The row of the request, if there is one.
 */
export function recall(
  known: { fingerprint: unknown; id: unknown } | undefined,
  fingerprint: string,
): IdempotentOutcome | undefined {
  if (!known) return undefined;
  if (known.fingerprint !== fingerprint) return { outcome: "conflict" };
  return { outcome: "replayed", id: BigInt(String(known.id)) };
}

/** For the end of a `switch` over all kinds. */
export function unknownKind(write: never): never {
  throw new TypeError(`There is no write of the kind ${JSON.stringify((write as { kind: unknown }).kind)}`);
}
