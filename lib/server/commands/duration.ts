import { SettingError } from "../start_error.ts";
import type { Flags } from "../settings.ts";
import { UNITS } from "../time.ts";

/**
 * Reads the value of a flag such as `90d`.
 *
 * @returns Milliseconds; undefined if the flag is absent.
 * @throws {SettingError} If it is invalid.
 */
export function readDuration(flag: string, flags: Flags): number | undefined {
  const text = flags.get(flag)?.at(-1);
  if (text === undefined) return undefined;
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const duration = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (duration >= 0) return duration;
  throw new SettingError(`--${flag} must be a time such as 12h or 90d (s, m, h or d), not ${JSON.stringify(text)}`);
}
