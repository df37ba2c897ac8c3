/** What a commit writes to Deno KV. It follows from its writes and from what KV has, and nothing here asks KV. */

import { type PetDraft, StoreUnavailableError } from "@petstore/petstore/store";
import {
  formatPetWithId,
  type Outcome,
  type PendingWrite,
  recall,
  unknownKind,
  type Write,
} from "@petstore/petstore/store/toolkit";
import type { KvChange } from "./client.ts";
import type { KeySpace } from "./key_space.ts";
import { type Remembered, toBytes } from "./values.ts";

/** What a commit is going to write. It writes nothing if all its creates were carried out before. */
export interface Plan extends KvChange {
  /** The outcomes of the writes, one for each. */
  outcomes: Outcome[];
  /** The greatest id after the commit. */
  last: number;
  /** The name by which KV remembers the commit. It is undefined if the commit writes nothing. */
  name?: string;
}

/**
 * Plans the entries of creates.
 *
 * @param last The greatest id before the commit.
 * @param known The requests that KV remembers, by their keys, which may have expired. Those of the creates are added to it.
 * @throws {StoreUnavailableError} If there are no ids left.
 */
export function planCreates(
  space: KeySpace,
  creates: readonly PendingWrite[],
  last: number,
  known: Map<string, Remembered | undefined>,
): Plan {
  const plan: Plan = { outcomes: [], last, writes: [] };
  const now = Date.now();
  const insert = (pet: PetDraft): Outcome => {
    // The next number would be rounded, so that two pets would get one id.
    if (plan.last === Number.MAX_SAFE_INTEGER) {
      throw new StoreUnavailableError("Another program has raised the petstore's counter in Deno KV to the last id");
    }
    const id = BigInt(++plan.last);
    const text = toBytes(formatPetWithId(id, pet));
    plan.writes.push([space.pet(id), text], [space.petOfStatus(pet.status, id), text]);
    return { outcome: "created", id };
  };
  const apply = (write: Write): Outcome => {
    switch (write.kind) {
      case "create":
        return insert(write.pet);
      case "createOnce": {
        const { pet, request: { key, fingerprint, retentionMs } } = write;
        const earlier = known.get(key);
        const outcome = recall(earlier && earlier.expires > now ? earlier : undefined, fingerprint);
        if (outcome) return outcome;
        const created = insert(pet);
        const remembered = { id: plan.last, fingerprint, expires: now + retentionMs };
        // Other creates of the same commit may have the same key.
        known.set(key, remembered);
        plan.writes.push([space.remembered(key), toBytes(JSON.stringify(remembered))]);
        return created;
      }
      case "probe":
        plan.writes.push([space.probe, new Uint8Array()]);
        return { outcome: "probed" };
      default:
        return unknownKind(write);
    }
  };
  for (const { write } of creates) plan.outcomes.push(apply(write));
  return plan;
}
