/** The pets that clients create: each with its own name, and as odd as the service allows. */

import type { Pet, PetDraft, PetStatus } from "../../../lib/stores/store.ts";
import type { Random } from "../../../tests/support/random.ts";

/** A pet to store once, and its request. */
export interface IntendedPet extends PetDraft {
  /** The same at every try: another body would be another request. */
  body: string;
  key: string;
}

/** Names that a store or a codec may damage: quotes, SQL, white space, markup, numbers, Unicode, great length. */
const ODDITIES: readonly string[] = [
  "",
  `"'\`\\`,
  "'); DROP TABLE pets; --",
  "%s%00\\u0000 \\x00",
  " \u00a0\u2003",
  "\u2028\u2029",
  "<script>&amp;",
  "null",
  "é",
  "e\u0301",
  "ÿþ\ufeff",
  "\ufffd\uffff\u{10ffff}",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "שלום\u202egnirts",
  "ﷺİıßẞﬀ",
  "𝒫𝑒𝓉".repeat(60),
  "x".repeat(200),
];

/** The ends of int64, of int32 and of exact doubles. */
const EDGES: readonly bigint[] = [
  0n,
  -1n,
  2n ** 31n,
  -(2n ** 31n) - 1n,
  2n ** 53n - 1n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  2n ** 63n - 2n,
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
];

const STATUSES: readonly (PetStatus | undefined)[] = ["available", "pending", "sold", undefined];

export function drawPet(random: Random, tag: string): IntendedPet {
  const oddity = random.pick(ODDITIES);
  const name = random.oneIn(2) ? `${oddity}${tag}` : `${tag}${oddity}`;
  const categoryId = random.oneIn(2) ? random.pick(EDGES) : random.int64();
  const status = random.pick(STATUSES);
  const members = [
    `"name":${random.oneIn(4) ? escapeAll(name) : JSON.stringify(name)}`,
    `"categoryId":${spell(categoryId, random)}`,
    ...(status === undefined ? [] : [`"status":"${status}"`]),
  ];
  // A structured header's string, or the bare token that many clients send.
  const key = random.oneIn(2) ? `"${tag}"` : tag;
  return { name, categoryId, status: status ?? "available", body: `{${members.join(",")}}`, key };
}

/** Compares to the last digit and code unit. */
export function isSamePet(one: PetDraft, other: PetDraft): boolean {
  return one.name === other.name && one.categoryId === other.categoryId && one.status === other.status;
}

/** Reads pets with exact numbers, deliberately without the library. */
export function parsePets(text: string): unknown {
  return JSON.parse(text, function (member: string, value: unknown, context?: { source?: string }): unknown {
    if (member !== "id" && member !== "categoryId") return value;
    return BigInt(context?.source ?? "");
  });
}

export function isPet(value: unknown): value is Pet {
  const { id, name, categoryId, status, ...rest } = (value ?? {}) as Record<string, unknown>;
  return typeof id === "bigint" && typeof name === "string" && typeof categoryId === "bigint" &&
    STATUSES.includes(status as PetStatus) && status !== undefined && Object.keys(rest).length === 0;
}

function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, "0"));
  return `"\\u${units.join("\\u")}"`;
}

/** A whole number in one of JSON's notations. */
function spell(value: bigint, random: Random): string {
  if (random.oneIn(8)) return `${value}.0`;
  return random.oneIn(8) && value !== 0n ? `${value}0e-1` : String(value);
}
