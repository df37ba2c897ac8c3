/** Values as JSON, with those that JSON does not have: bigint, Date and undefined. */

const TAG = "$type";

type Tagged = { [TAG]: "bigint" | "date" | "undefined"; value?: string };

export function encode(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, shown) {
    // JSON.stringify() has turned a Date into text already.
    const own = this[name];
    if (typeof own === "bigint") return { [TAG]: "bigint", value: String(own) };
    if (own instanceof Date) return { [TAG]: "date", value: own.toISOString() };
    return own === undefined ? { [TAG]: "undefined" } : shown;
  });
}

export function decode(text: string): unknown {
  return revive(JSON.parse(text));
}

/** Revives values. It is no reviver of JSON.parse(), which would drop a member that is undefined. */
function revive(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(revive);
  if (TAG in value) return untag(value as Tagged);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revive(member)]));
}

function untag({ [TAG]: type, value = "" }: Tagged): unknown {
  if (type === "bigint") return BigInt(value);
  return type === "date" ? new Date(value) : undefined;
}
