/** Valid values: the second half of the model, written from the documentation alone. */

const STATUSES = ["available", "pending", "sold"];

class Written {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** A segment means what it decodes to. If it does not decode, or holds a slash, it stands for itself. */
export function unescape(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment);
    return decoded.includes("/") ? segment : decoded;
  } catch {
    return segment;
  }
}

const isLimit = (value: string): boolean => /^[1-9]\d*$/.test(value) && Number(value) <= 100;
const isStatus = (value: string): boolean => STATUSES.includes(value);

function isCursor(value: string): boolean {
  if (!/^[A-Za-z0-9]+$/.test(value) || value.length % 4 === 1) return false;
  const text = atob(value);
  const id = /^after:([1-9]\d*)$/.exec(text)?.[1];
  return id !== undefined && isInt64(BigInt(id)) && btoa(text).replaceAll("=", "") === value;
}

/** The query parameters of a list, in the order in which their faults are reported. */
export const PARAMETERS = { limit: isLimit, status: isStatus, cursor: isCursor };

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/**
 * Every `Idempotency-Key` that is sent, and the key that it means: a structured-field string (RFC
 * 9651 §3.3.3) or a bare key, of 1 to 255 characters. There are few keys, so that they repeat.
 */
export const IDEMPOTENCY_KEYS: Readonly<Record<string, string | undefined>> = {
  a: "a",
  '"a"': "a",
  b: "b",
  '"a";p=1': "a",
  '"a\\"b"': 'a"b',
  [`"${"k".repeat(255)}"`]: "k".repeat(255),
  ["k".repeat(256)]: undefined,
  '"a";p=': "a",
  '"a': undefined,
  '"a\\b"': undefined,
  "a b": undefined,
  '"\xe9"': undefined,
  '""': undefined,
};

/** The value of a body, with a character for each byte. */
export function readJson(body: string): unknown {
  const keepSource = (_: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" ? new Written(source) : value;
  const bytes = Uint8Array.from(body, (character) => character.charCodeAt(0));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  return JSON.parse(text, keepSource as (name: string, value: unknown) => unknown);
}

/** The members of a pet as sent, or `undefined` if they are invalid. */
export function readMembers(value: unknown): [name: string, categoryId: string, status?: string] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Written) return undefined;
  const { name, categoryId, status } = value as Record<string, unknown>;
  const id = categoryId instanceof Written ? exactInteger(categoryId.source) : undefined;
  if (typeof name !== "string" || !/^(?!\s*$)[^\p{Cc}\p{Cs}]{1,255}$/u.test(name) || id === undefined) return undefined;
  if (!Object.hasOwn(value, "status")) return [name, String(id)];
  return typeof status === "string" && isStatus(status) ? [name, String(id), status] : undefined;
}

function exactInteger(source: string): bigint | undefined {
  const [, whole = "", fraction = "", exponent = "0"] = /^(-?\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(source) ?? [];
  const digits = BigInt(whole + fraction), shift = Number(exponent) - fraction.length;
  const unit = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % unit !== 0n) return undefined;
  const value = shift < 0 ? digits / unit : digits * unit;
  return isInt64(value) ? value : undefined;
}
