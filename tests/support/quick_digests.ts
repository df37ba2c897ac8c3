import { createHash } from "node:crypto";
import { whileReplaced } from "./while_replaced.ts";

/** Runs `work` while SHA-256 is computed at once. Otherwise virtual time would pass while a thread computes it. */
export function withQuickDigests<T>(work: () => Promise<T>): Promise<T> {
  const digest = (_: unknown, data: Uint8Array) =>
    Promise.resolve(new Uint8Array(createHash("sha256").update(data).digest()));
  return whileReplaced(crypto.subtle, { digest: digest as never }, work);
}
