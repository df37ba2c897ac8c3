/** Makes pets at the boundaries of what may be kept, and bodies that are no pets. */

import type { PetStatus } from "@petstore/petstore/store";
import { newName } from "../catalogue.ts";
import { ODD_CATEGORY, ODD_NAME } from "../exact.ts";
import { groupsOf, type Random } from "./random.ts";
import { NO_CATEGORIES, NO_STATUSES, NO_STRINGS, STATUSES } from "../../pet_values.ts";

/** A pet that is to be sent. */
export interface SentPet {
  name: string;
  /** The number as JSON text. */
  categoryId: string;
  status?: PetStatus;
}

/** Texts that servers escape, decode, normalize, trim, resolve or write in one case. */
const PIECES = [
  "<b>",
  "&amp;",
  "&",
  '"',
  "'",
  "\\",
  "/",
  "</script>",
  "<!--",
  "%41",
  "%",
  "+",
  "  ",
  "--",
  ",",
  ";",
  ":",
  "|",
  "`",
  "#",

  "{{7*7}}",
  "${7*7}",
  "{0}",
  "%s",
  "\\n",
  "\\u0041",
  "../",
  "null",
  "NaN",
  "MiXeD",
  "I\u0130\u0131i",
  "\u00df\u1e9e",
  "\u03c3\u03c2",

  "e\u0308",
  "\u00eb",
  "\u212b",
  "\ufb01",
  "\uff21",
  "\u00bd",
  "\u1112\u1161\u11ab",
  "\ud55c",
  "\u{1f63a}",
  "\u{1f468}\u200d\u{1f469}",
  "\u6f22",
  "\u{20000}",
  "\u05d0",
  "\u200b",
  "\u200e",
  "\u2028",
  "\u00a0",
  "\u00ad",
  "\u2019",
  "\u0e33",
  "\ufe0f",
];

/** Characters that are odd at the beginning or at the end of a name. */
const STARTS = [" ", "=", "@", "-", "0", "'", "#", "\ufeff", "\u{1f63a}", "_"];
const ENDS = [" ", ".", "\\", "\u0301", "/", "0", "\u{1f63a}", ";", "'", "?"];

/** Lengths of names in code points, near those at which servers cut. */
const LENGTHS = [40, 50, 51, 60, 64, 65, 100, 101, 120, 127, 128, 129, 199, 201, 250, 254, 255, 255];

const CATEGORIES = [
  0n,
  1n,
  -1n,
  7n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  2n ** 53n - 1n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 62n + 1n,

  2n ** 31n - 1n,
  2n ** 31n,
  -(2n ** 31n) - 1n,
  2n ** 32n,
  2n ** 32n + 7n,
  1000000000000000000n,
  -1000n,
  255n,
  65_536n,
];

function filled(start: string, length: number, random: Random): string {
  const fill = random.pick(["x", "y", "\u00eb", "\u{1f63a}", "\u6f22"]);
  return start + fill.repeat(Math.max(0, length - Array.from(start).length));
}

/**
 * Makes valid pets. Each piece, length and category is in one of them. Most names have letters that no other name has.
 */
export function somePets(random: Random): SentPet[] {
  const { letters, shuffle, pick, int64 } = random;
  const [starts, ends] = [shuffle(STARTS), shuffle(ENDS)];
  const names = [
    ...groupsOf(random, PIECES, 5).map((pieces, i) =>
      `${starts[i % starts.length]}${newName(ODD_NAME)}${pieces.join(letters(1))}${ends[i % ends.length]}`
    ),
    ...shuffle(LENGTHS).map((length) => filled(newName(ODD_NAME), length, random)),
    "null",
    String(100_000_000_000 + random.below(2 ** 31)),
    pick(["true", "[]", "{}", "0", "1e3"]),
  ];
  const categories = shuffle([...CATEGORIES, int64(), int64(), -int64()].map(String));
  const pets = shuffle(names).map((name, i): SentPet => ({ name, categoryId: categories[i % categories.length]! }));
  return pets.map((pet, i) => i % 4 === 3 ? pet : { ...pet, status: STATUSES[i % 4]! });
}

/** Formats a pet as JSON text, with its members and spaces in any order. */
export function bodyOf({ name, categoryId, status }: SentPet, { shuffle, pick }: Random): string {
  const members = [["name", JSON.stringify(name)], ["categoryId", categoryId], ["status", status && `"${status}"`]];
  const space = pick(["", "", " ", "\n  "]);
  const texts = members.flatMap(([member, text]) => text === undefined ? [] : [`${space}"${member}":${space}${text}`]);
  return `{${shuffle(texts).join(",")}${space}}`;
}

const MEMBERS_LIKE_NAME = ["Name", "NAME", "title", "petName"];
const MEMBERS_LIKE_CATEGORY = ["category_id", "CategoryId", "categoryID", "category"];

/** Bodies that are not a NewPet, or not JSON. Each that names a pet has this name, and only one thing is wrong with it. */
export function noPets(name: string, { below, letters, int64 }: Random): string[] {
  const pet = (parts: Record<string, string>) => {
    const members = Object.entries({ name: `"${name}"`, categoryId: "7", ...parts });
    return `{${members.filter(([, text]) => text !== "").map(([member, text]) => `"${member}":${text}`).join(",")}}`;
  };
  const whole = pet({});
  return [
    ...NO_STRINGS.map((name) => pet({ name, categoryId: String(ODD_CATEGORY) })),
    ...NO_CATEGORIES.map((categoryId) => pet({ categoryId })),
    pet({ categoryId: `${int64()}.5` }),
    pet({ categoryId: `${2n ** 64n + BigInt(below(2 ** 31))}` }),
    ...NO_STATUSES.map((status) => pet({ status })),
    pet({ status: `"${letters(1 + below(8))}"` }),
    ...MEMBERS_LIKE_NAME.map((member) => pet({ name: "", [member]: `"${name}"` })),
    ...MEMBERS_LIKE_CATEGORY.map((member) => pet({ categoryId: "", [member]: "7" })),
    `{"pet":${whole}}`,
    `{"data":${whole}}`,
    `[${whole}]`,
    `[[${whole}]]`,
    JSON.stringify(whole),
    "",
    " ",
    "{",
    "}",
    "[]",
    "null",
    "7",
    "true",
    '"Rex"',
    "undefined",
    "{}",
    '{"status":"sold"}',

    whole.slice(0, -1),
    whole.slice(0, 1 + below(whole.length - 1)),
    `${whole}}`,
    `${whole} x`,
    `${whole},`,
    `${whole}${whole}`,

    whole.replace("}", ",}"),
    whole.replaceAll('"', "'"),
    whole.replaceAll(/"(\w+)":/g, "$1:"),
    whole.replace(",", " "),
    whole.replace(":7", ":07"),

    whole.replace("{", "{/* a pet */"),
    `${whole}// a pet`,
    whole.replace(":7", ":+7"),
    whole.replace(":7", ":0x7"),
    whole.replace(":7", ":NaN"),

    whole.replace(":7", ":"),
    whole.replace(":7", "=7"),
    whole.replace(":7", ":7."),
    `(${whole})`,
    `)]}'${whole}`,
    `callback(${whole})`,

    `name=${name}&categoryId=7`,
    `<pet><name>${name}</name><categoryId>7</categoryId></pet>`,
    `name: ${name}\ncategoryId: 7\n`,
  ];
}
