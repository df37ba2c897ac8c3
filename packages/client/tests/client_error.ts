import assert from "node:assert/strict";
import { PetstoreError } from "../mod.ts";

/** The error that a call of the client ends with. */
export async function failed(call: Promise<unknown>): Promise<PetstoreError> {
  const [outcome] = await Promise.allSettled([call]);
  assert.ok(outcome?.status === "rejected" && outcome.reason instanceof PetstoreError, String(outcome));
  return outcome.reason;
}
