/** The writes of a commit, and the outcomes of its creates. */

import { formatPet } from "../../pet.ts";
import type { IdempotentOutcome, IdempotentRequest, PetDraft } from "../store.ts";
import { toBytes } from "./bytes.ts";
import type { KvChange } from "./client.ts";
import type { Layout, Remembered } from "./layout.ts";

/** A create that waits, with the functions that settle its promise. */
export interface Create {
  /** Undefined to find out whether creates succeed. */
  pet: PetDraft | undefined;
  request: IdempotentRequest | undefined;
  resolve(outcome: IdempotentOutcome): void;
  reject(error: unknown): void;
}

export interface Plan extends KvChange {
  /** One for each create. */
  outcomes: IdempotentOutcome[];
  /** The greatest id after the commit. */
  last: number;
}

/**
 * @param last The greatest id before the commit.
 * @param known The requests that KV remembers, which may have expired.
 */
export function planCreates(
  layout: Layout,
  creates: readonly Create[],
  last: number,
  known: Map<string, Remembered | undefined>,
): Plan {
  const plan: Plan = { outcomes: [], last, writes: [] };
  const now = Date.now();
  for (const { pet, request } of creates) {
    const earlier = request && known.get(request.key);
    if (earlier && earlier.expires > now) {
      const isSame = earlier.fingerprint === request.fingerprint;
      plan.outcomes.push(isSame ? { outcome: "replayed", id: BigInt(earlier.id) } : { outcome: "reused" });
      continue;
    }
    const id = BigInt(pet ? ++plan.last : plan.last);
    plan.outcomes.push({ outcome: "created", id });
    const text = pet ? toBytes(formatPet({ id, ...pet })) : new Uint8Array();
    if (pet) plan.writes.push([layout.pet(id), text], [layout.petOfStatus(pet.status, id), text]);
    else plan.writes.push([layout.probe, text]);
    if (request) {
      const remembered = { id: plan.last, fingerprint: request.fingerprint, expires: now + request.retentionMs };
      // For other creates of the same commit.
      known.set(request.key, remembered);
      plan.writes.push([layout.remembered(request.key), toBytes(JSON.stringify(remembered))]);
    }
  }
  return plan;
}
