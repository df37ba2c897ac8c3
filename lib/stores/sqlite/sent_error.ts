/** Errors on their way from a thread, because structured cloning would lose their class, and the codes of their causes. */

import { StoreUnavailableError } from "../store.ts";

/** An error as a message. */
export interface SentError {
  kind: "failure";
  message: string;
  /** What a {@link StoreUnavailableError} says beside its message. It is absent if the error is a defect of this library. */
  unavailable?: { mayBeStored: boolean; cause: Cause };
}

/** The cause of an error. By its codes the program tells a temporary obstacle. */
interface Cause {
  message: string;
  code?: unknown;
  errcode?: unknown;
}

export function toSent(error: unknown): SentError {
  if (!(error instanceof StoreUnavailableError)) return { kind: "failure", message: String(error) };
  const { message, code, errcode } = (error.cause ?? error) as Cause;
  const unavailable = { mayBeStored: error.mayBeStored, cause: { message, code, errcode } };
  return { kind: "failure", message: error.message, unavailable };
}

export function fromSent({ message, unavailable }: SentError): Error {
  if (!unavailable) return new Error(message);
  const { mayBeStored, cause } = unavailable;
  return new StoreUnavailableError(message, { mayBeStored, cause: Object.assign(new Error(cause.message), cause) });
}
