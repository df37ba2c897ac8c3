/** Damage to a body on its way. */

import fc from "fast-check";
import { MAX_BODY_BYTES } from "../settings.ts";
import { weighted } from "./weighted.ts";

/** Bytes that are invalid UTF-8, or only just valid. */
const ODD_BYTES = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80], [
  0xf0,
  0x9f,
]]
  .concat([[0], [0xef, 0xbb, 0xbf], [0xc3, 0xa9], [0x1f, 0x8b, 8, 0]]);
const BOM = [0xef, 0xbb, 0xbf];

/** A change to the bytes of a body, usually none. */
export const DAMAGE: fc.Arbitrary<(bytes: number[]) => number[]> = weighted(
  [24, fc.constant((bytes: number[]) => bytes)],
  [
    2,
    fc.tuple(fc.nat({ max: 200 }), fc.constantFrom(...ODD_BYTES)).map(([at, odd]) => (bytes: number[]) =>
      bytes.toSpliced(at % (bytes.length + 1), 0, ...odd)
    ),
  ],
  [1, fc.nat({ max: 200 }).map((at) => (bytes: number[]) => bytes.slice(0, at % (bytes.length + 1)))],
  [
    1,
    fc.constantFrom(
      (bytes: number[]) => [...BOM, ...bytes],
      (bytes: number[]) => [...BOM, ...BOM, ...bytes],
      (bytes: number[]) => bytes.flatMap((byte) => [byte, 0]),
    ),
  ],
  [
    1,
    fc.constantFrom(-1, 0, 1, 900).map((beyond) => (bytes: number[]) => [
      ...bytes,
      ...Array(Math.max(0, MAX_BODY_BYTES + beyond - bytes.length)).fill(0x20),
    ]),
  ],
);
