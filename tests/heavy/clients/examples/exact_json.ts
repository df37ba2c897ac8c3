const { rawJSON } = JSON as JSON & { rawJSON(text: string): object };

/** Reads JSON with its int64 members as bigint: `value` is rounded, and `source` is not. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (name, value, context?: { source: string }) => {
    return /^(id|categoryId)$/.test(name) && typeof value === "number" && context ? BigInt(context.source) : value;
  });
}

/** Writes JSON with every bigint as a number. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_, member) => typeof member === "bigint" ? rawJSON(String(member)) : member);
}
