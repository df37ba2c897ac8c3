import { StoreUnavailableError } from "@petstore/petstore/store";
import { uncertain } from "@petstore/petstore/store/toolkit";

// The errors of D1 have no code, only a message: see Cloudflare's "Debug D1".

/** The message of an invalid statement, which is a defect of this library. */
const DEFECT_MESSAGE = /: SQLITE_(ERROR|MISMATCH|RANGE|TOOBIG|AUTH)\b/;

/**
 * The message if another program's trigger has ignored or removed a pet, or has taken the id that a request has reserved, or if another
 * program has raised the ids to their end.
 */
const INTERFERENCE_MESSAGE = /constraint failed: petstore_(schema\.version|pets\.id|requests\.pet_id)\b/;

/** The message about a table or column that was dropped, or is not there yet after a restore. */
const MISSING_MESSAGE = /\bno such (table|column)\b|\bhas no column named\b/;

/** The message if SQLite has refused a statement, or D1 has not begun it. After any other message, the transaction may have been committed. */
const REFUSAL_MESSAGE = /\bSQLITE_(?!IOERR)|^D1_ERROR: D1 DB is overloaded\b/;

/** Whether a table or column is missing. A new check of the schema then explains why. */
export function isMissing(error: unknown): boolean {
  return MISSING_MESSAGE.test(messageOf(error));
}

/**
 * Turns an outage into a {@link StoreUnavailableError}, and returns any other error unchanged.
 *
 * @param addsPet Whether the transaction would have added a pet, which may have been stored.
 */
export function asUnavailable(error: unknown, database: string, addsPet: boolean): unknown {
  const text = messageOf(error);
  if (INTERFERENCE_MESSAGE.test(text)) {
    const message = `${database}: a create has not stored its pet with a valid id, so it was undone; ` +
      "has another program added a trigger, or a pet with an id of about 2^53?";
    return new StoreUnavailableError(message, { cause: error });
  }
  if (error instanceof StoreUnavailableError || isDefect(error)) return error;
  const message = `${database}: ${text.replace(/^D1_ERROR: /, "").replaceAll("\n", " ")}`;
  const mayBeStored = addsPet && !REFUSAL_MESSAGE.test(text);
  return mayBeStored ? uncertain({ message, cause: error }) : new StoreUnavailableError(message, { cause: error });
}

/** Whether an error is a defect of this library, and no outage of the database. */
function isDefect(error: unknown): boolean {
  const message = messageOf(error);
  if (MISSING_MESSAGE.test(message)) return false;
  // bind() throws a D1_TYPE_ERROR for a value of a type that D1 does not have.
  if (DEFECT_MESSAGE.test(message) || message.startsWith("D1_TYPE_ERROR") || !(error instanceof Error)) return true;
  return [TypeError, RangeError, ReferenceError, SyntaxError].some((defect) => error instanceof defect);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
