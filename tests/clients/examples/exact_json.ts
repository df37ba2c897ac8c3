/** JSON whose int64 members are bigint, exact in both directions. */

/** JSON text of a number, as `JSON.stringify` takes it over. TypeScript 5.9 has no type for it yet. */
const { rawJSON } = JSON as JSON & { rawJSON(text: string): object };

const INT64 = new Set(["id", "categoryId"]);

export function parseExact(text: string): unknown {
  // The third argument has the number as it was written; `value` is rounded already.
  return JSON.parse(
    text,
    (name, value, context?: { source: string }) =>
      INT64.has(name) && typeof value === "number" && context ? BigInt(context.source) : value,
  );
}

export function stringifyExact(value: unknown): string {
  return JSON.stringify(
    value,
    (_, member) => typeof member === "bigint" ? rawJSON(String(member)) : member,
  );
}
