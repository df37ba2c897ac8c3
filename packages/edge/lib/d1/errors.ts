import { StoreUnavailableError } from "@petstore/petstore/store";

/** The errors have no code, only a message: see Cloudflare's "Debug D1". */
const DEFECT = /: SQLITE_(ERROR|MISMATCH|RANGE|TOOBIG|AUTH)\b/;

/** Another program's trigger has ignored the pet of a request, or has taken the id that the request has reserved. */
const INTERFERENCE = /constraint failed: petstore_(pets\.id|requests\.pet_id)\b/;

/** A table or column that was dropped, or is not there yet after a restore. */
const MISSING = /\bno such (table|column)\b|\bhas no column named\b/;

/** Whether a table is missing. A new check of the schema then explains why. */
export function isMissing(error: unknown): boolean {
  return MISSING.test(messageOf(error));
}

/** Turns an outage into a {@link StoreUnavailableError}, and returns any other error unchanged. */
export function asUnavailable(error: unknown, database: string): unknown {
  if (INTERFERENCE.test(messageOf(error))) {
    const message =
      `${database}: a create has not stored its pet, so it was undone; is there a trigger of another program?`;
    return new StoreUnavailableError(message, { cause: error });
  }
  if (error instanceof StoreUnavailableError || !isOutage(error)) return error;
  const text = messageOf(error).replace(/^D1_ERROR: /, "").replaceAll("\n", " ");
  return new StoreUnavailableError(`${database}: ${text}`, { cause: error });
}

function isOutage(error: unknown): boolean {
  const message = messageOf(error);
  if (MISSING.test(message)) return true;
  // bind() refuses a value of a type that D1 does not have.
  if (DEFECT.test(message) || message.startsWith("D1_TYPE_ERROR")) return false;
  const defects = [TypeError, RangeError, ReferenceError, SyntaxError];
  return error instanceof Error && !defects.some((defect) => error instanceof defect);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
