import { constants } from "node:os";
import { isTemporary } from "../../temporary_errors.ts";

/** A setting that cannot be used. The message is one line for the operator. */
export class SettingError extends Error {
  override name = "SettingError";
  /**
   * The exit status of the program. After 2, a supervisor must not restart it: the next start would
   * fail in the same way.
   */
  readonly status: number = 2;
}

/** A setting that cannot be used at the moment; a later start may succeed. */
export class UnreachableError extends SettingError {
  override readonly status: number = 1;
}

/** A signal has ended a command before it was done. Whatever it had begun has been removed. */
export class InterruptedError extends UnreachableError {
  /** By this status, shells tell that a signal has ended a program. */
  override readonly status: number;

  constructor(signal: NodeJS.Signals) {
    super(`Ended by ${signal}, and nothing was changed`);
    this.status = 128 + constants.signals[signal];
  }
}

/** Creates the error of a failed start: an {@link UnreachableError} if the cause is temporary. */
export function startError(line: string, cause: unknown): SettingError {
  return isTemporary(cause) ? new UnreachableError(line) : new SettingError(line);
}

/** The first line of an error's message. Deno's other lines are advice for programmers. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] ?? "";
}

/**
 * The reason of an error. Of a system's error, such as "ENOENT: no such file or directory, open
 * 'a'", this is the part between the code and the call.
 */
function reasonOf(error: unknown): string {
  const line = firstLine(error);
  return /^E[A-Z]+: (.+?), [a-z]+( '|$)/.exec(line)?.[1] ?? line;
}

/**
 * The error for the operator when an action has failed. A {@link SettingError} explains itself, and
 * stays as it is.
 *
 * @param failure Says which action failed, before the reason.
 */
export function explain(failure: string, error: unknown): SettingError {
  return error instanceof SettingError ? error : startError(`${failure}: ${reasonOf(error)}`, error);
}

/** The system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
