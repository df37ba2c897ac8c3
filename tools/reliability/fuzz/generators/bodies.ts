import fc from "fast-check";
import { LIMITS } from "../model.ts";
import { CATEGORY_ID } from "./numbers.ts";
import { weighted } from "./weighted.ts";

const DOG = "🐶";
/** Characters that a codec or a store may damage, and some that a name may not have. */
const CHARACTERS = ["a", "é", DOG, "\u2028", '"', "\\", "/", "'", "{", ",", " ", "\u3000", "\ufeff"];
const WRONG_CHARACTERS = ["\n", "\0", "\x7f", "\x85", "\ud800", "\udc00"];

/** Names as JSON, with the longest and one that is longer, and texts that are no name. */
const NAMES = ['"Rex"', '"a\\/b"', '"__proto__"', '"\\"categoryId\\":5"']
  .concat([255, 256].flatMap((length) => ["a", DOG, "\\ud83d\\ude00"].map((each) => `"${each.repeat(length)}"`)));
const WRONG_NAMES = ["null", "7", "true", "[]", "{}", '["Rex"]', '"a', "Rex", "'Rex'", '"\\u00"', '"\\x41"', '"\t"'];

/** Writes a text as JSON, each of its code units as an escape or all as they are. */
function toJson(text: string, isEscaped: boolean): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return isEscaped ? `"${text.split("").map(escape).join("")}"` : JSON.stringify(text);
}

const nameOf = (characters: string[]) =>
  fc.tuple(fc.string({ unit: fc.constantFrom(...characters), maxLength: 5 }), fc.boolean())
    .map(([text, isEscaped]) => toJson(text, isEscaped));

const STATUSES = ['"available"', '"pending"', '"sold"', '"\\u0073old"', '"sol\\u0064"'];
const WRONG_STATUSES = ["null", '"Sold"', '""', '"sold "', "1", '["sold"]', "{}", '"lost"', "undefined", '"\\ud800"'];

const NAME = weighted(
  [4, fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((name) => JSON.stringify(name))],
  [3, NAMES],
  [4, nameOf(CHARACTERS)],
  [1, nameOf([...CHARACTERS, ...WRONG_CHARACTERS])],
  [1, WRONG_NAMES],
);
const STATUS = weighted([6, STATUSES], [1, WRONG_STATUSES]);

/** A member's name, sometimes with an escape. */
function memberName(name: string): fc.Arbitrary<string> {
  return fc.option(fc.nat({ max: name.length - 1 }), { freq: 8 }).map((at) => {
    if (at === null) return `"${name}"`;
    return `"${name.slice(0, at)}\\u00${name.charCodeAt(at).toString(16)}${name.slice(at + 1)}"`;
  });
}

const member = (name: string, value: fc.Arbitrary<string>) => fc.tuple(memberName(name), value);

const EXTRA_MEMBERS: [name: string, ...values: string[]][] = [
  ["id", "99", '"1"', "null"],
  ["__proto__", '{"name":"x","status":"sold"}', "null", "1"],
  ["constructor", "1", '{"prototype":{"status":"sold"}}'],
  ["nested", '{"categoryId":5}', '[{"name":"x"}]', '"\\"categoryId\\":6,"', '"}"', '"\\\\"', "1e400"],
  ["Name", '"y"'],
  ["categoryid", "8"],
  ["x", "[[[]]]"],
];
const EXTRA_MEMBER = fc.oneof(...EXTRA_MEMBERS.map(([name, ...values]) => member(name, fc.constantFrom(...values))));

/** A member that is present, absent or duplicated; the last one counts. */
const given = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  weighted<T[]>([14, fc.tuple(value)], [1, fc.array(value, { maxLength: 2 })]);

const SPACE = weighted([9, [""]], [2, [" ", "\n", "\t", "\r\n  "]], [1, [" ", " ", "\u00a0", "\f", "\ufeff", "/**/"]]);

const OBJECT = fc.tuple(
  given(member("name", NAME)),
  given(member("categoryId", CATEGORY_ID)),
  weighted([1, [[]]], [1, given(member("status", STATUS))]),
  weighted([3, [[]]], [1, fc.array(EXTRA_MEMBER, { maxLength: 3 })]),
  fc.nat({ max: 7 }),
  SPACE,
).map(([names, categories, statuses, extras, turn, space]) => {
  const members = [...names, ...categories, ...statuses, ...extras];
  const turned = [...members.slice(turn % (members.length || 1)), ...members.slice(0, turn % (members.length || 1))];
  const written = turned.map(([name, value]) => `${name}${space}:${space}${value}`);
  return `{${space}${written.join(`${space},${space}`)}${space}}`;
});

/** Nested JSON of at most 1500 levels, since some parsers give up beyond. */
const NESTED = fc.tuple(fc.constantFrom<[string, string]>(["[", "]"], ['{"a":', "}"]), fc.nat({ max: 600 })).map(
  ([[open, close], depth]) =>
    `{"name":"deep","categoryId":1,"x":${open.repeat(depth)}${open === "[" ? "" : "1"}${close.repeat(depth)}}`,
);

const OTHER_TEXTS = [
  "",
  " ",
  "null",
  "true",
  "7",
  '"pet"',
  "[]",
  "{}",
  "[{}]",
  "{",
  "}",
  '{"a"}',
  '{"a":1,}',
  "undefined",
]
  .concat("{name:'Rex'}", '{"name":"Rex","categoryId":7} x', '{"name":"Rex","categoryId":7}{}', "name=Rex&categoryId=7")
  .concat("[".repeat(1500), `${"[".repeat(1500)}${"]".repeat(1500)}`, '[{"name":"Rex","categoryId":7}]', "\0", "NaN")
  .concat("1e400");

const TEXT = weighted([16, OBJECT], [1, NESTED], [2, OTHER_TEXTS], [1, fc.json({ maxDepth: 3 })]);

/** Bytes that are invalid UTF-8, or only just valid. */
const ODD_BYTES = "ff c080 eda080 f4908080 e282 80 f09f 00 efbbbf c3a9 1f8b0800".split(" ")
  .map((hex) => Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
const BOM = [0xef, 0xbb, 0xbf];

type Damage = (bytes: number[]) => number[];

/** A change to the bytes of a body. Usually there is none. */
const DAMAGE: fc.Arbitrary<Damage> = weighted<Damage>(
  [24, [(bytes) => bytes]],
  [
    2,
    fc.tuple(fc.nat({ max: 200 }), fc.constantFrom(...ODD_BYTES)).map(([at, odd]): Damage => (bytes) =>
      bytes.toSpliced(at % (bytes.length + 1), 0, ...odd)
    ),
  ],
  [1, fc.nat({ max: 200 }).map((at): Damage => (bytes) => bytes.slice(0, at % (bytes.length + 1)))],
  [1, [
    (bytes) => [...BOM, ...bytes],
    (bytes) => [...BOM, ...BOM, ...bytes],
    (bytes) => bytes.flatMap((byte) => [byte, 0]),
  ]],
  [
    1,
    [-1, 0, 1, 900].map((beyond): Damage => (bytes) => [
      ...bytes,
      ...Array(Math.max(0, LIMITS.maxBodyBytes + beyond - bytes.length)).fill(0x20),
    ]),
  ],
);

const ENCODER = new TextEncoder();

function latin(bytes: Iterable<number>): string {
  return String.fromCharCode(...bytes);
}

/** Bodies with a character for each byte. */
export const BODY: fc.Arbitrary<string> = fc.tuple(TEXT, DAMAGE).map(([text, damage]) =>
  latin(damage([...ENCODER.encode(text)]))
);

export const RIGHT_BODY: fc.Arbitrary<string> = fc.tuple(
  fc.constantFrom("Rex", "Luna", `Milo ${DOG}`),
  fc.constantFrom("7", "7.0", "9007199254740993", "-9223372036854775808"),
  fc.constantFrom("", ',"status":"available"', ',"status":"pending"', ',"status":"sold"'),
).map(([name, categoryId, status]) => latin(ENCODER.encode(`{"name":"${name}","categoryId":${categoryId}${status}}`)));
