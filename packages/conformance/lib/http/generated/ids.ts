/** Ids that no pet has, and texts that resemble the id of a pet. */

import type { Random } from "./random.ts";

/** Makes ids that are an int64, and that hardly any pet has. */
export function absentIds({ below, int64 }: Random): string[] {
  const large = 2n ** 53n + BigInt(below(2 ** 31));
  const random = int64();
  const notNegative = random < 0n ? -random - 1n : random;
  return [0n, -1n, -BigInt(2 + below(1000)), large, -large, notNegative, -(2n ** 63n)].map(String);
}

/**
 * Makes texts that are no integer, or another one than the id. Notations that some servers read as the same integer are
 * not among them.
 */
export function resemblingIds(id: bigint, { below, letters, pick }: Random): string[] {
  const sameLastBits = [8n, 16n, 24n, 31n, 32n, 48n, 52n, 53n, 54n, 63n, 64n, 128n].map((bits) => id + 2n ** bits);
  const sameLastDigits = [3n, 4n, 5n, 6n, 9n, 12n].map((zeros) => id + BigInt(1 + below(9)) * 10n ** zeros);
  const digits = String(id);
  return [
    ...sameLastBits.map(String),
    ...sameLastDigits.map(String),
    String(id * 10n + BigInt(below(10))),

    id === 0n ? "" : String(-id),
    `${digits}abc`,
    `abc${digits}`,
    `${digits}.5`,
    `${digits}${letters(1)}`,
    `${letters(2)}${digits}`,

    `${digits},2`,
    `${digits}%00`,
    `${digits}%27`,
    `${digits}%20or%201=1`,
    `${digits}-1`,
    `${digits}:${below(9)}`,
    `${digits}%2F${below(9)}`,

    `${digits}*`,
    `${digits}|1`,
    `%22${digits}%22`,
    `[${digits}]`,
    `$${digits}`,
    `${digits}!`,
    `${digits}${pick(["@", "~", "%23", "%3F", "%26"])}x`,
  ].filter((text) => text !== "");
}
