import { StoreUnavailableError } from "@petstore/petstore/store";
import { uncertainOutcomeError } from "@petstore/petstore/store/toolkit";

// The errors of D1 have no code, only a message: see Cloudflare's "Debug D1".

/**
 * The message if another program's trigger has removed a pet, or has taken the id that a request
 * has reserved, or if another program has raised the ids to their end.
 */
const INTERFERENCE_MESSAGE = /constraint failed: petstore_(schema\.version|pets\.id|requests\.pet_id)\b/;

/** The message about a table that is not there yet, or no longer. */
const MISSING_MESSAGE = /\bno such table\b/;

/**
 * The message if SQLite has refused a statement, or D1 has not begun it. After any other message,
 * the transaction may have been committed.
 */
const REFUSAL_MESSAGE = /\bSQLITE_(?!IOERR)|^D1_ERROR: D1 DB is overloaded\b/;

/** Whether a table is missing, which the store then makes. */
export function isMissing(error: unknown): boolean {
  return MISSING_MESSAGE.test(messageOf(error));
}

/**
 * Makes a {@link StoreUnavailableError} of any failure of a transaction. It is never a fault of the
 * request, because all values were validated before.
 *
 * @param addsPet Whether the transaction would have added a pet, which may have been stored.
 */
export function asUnavailable(error: unknown, database: string, addsPet: boolean): StoreUnavailableError {
  const text = messageOf(error);
  if (INTERFERENCE_MESSAGE.test(text)) return interference(database, error);
  const message = `${database}: ${text.replace(/^D1_ERROR: /, "").replaceAll("\n", " ")}`;
  const mayBeStored = addsPet && !REFUSAL_MESSAGE.test(text);
  return mayBeStored
    ? uncertainOutcomeError({ message, cause: error })
    : new StoreUnavailableError(message, { cause: error });
}

/**
 * The error of a create whose pet is not there, or not under its id, because another program has
 * changed the database.
 */
export function interference(database: string, cause?: unknown): StoreUnavailableError {
  const message = `${database}: a create has not stored its pet with a valid id, so it was undone; ` +
    "has another program added a trigger, or a pet with an id of about 2^53?";
  return new StoreUnavailableError(message, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
