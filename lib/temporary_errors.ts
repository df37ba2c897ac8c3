/**
 * The codes of a system for a state that may pass: an address is in use or not available yet; disk
 * space, a quota, memory or file handles are exhausted; or a device fails.
 */
const TEMPORARY_IN_SYSTEM = /^(EADDRINUSE|EADDRNOTAVAIL|ENOSPC|EDQUOT|ENOMEM|EMFILE|ENFILE|EIO|EAGAIN)$/;

/**
 * Whether a later attempt may succeed without a change to a setting or a file. The error of a store
 * says so itself. The error of a system has a code. Any other error is as its cause.
 */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { isTemporary: isKnown, code } = error as { isTemporary?: unknown; code?: unknown };
  return isKnown === true || TEMPORARY_IN_SYSTEM.test(String(code)) || isTemporary(error.cause);
}
