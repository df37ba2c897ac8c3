/**
 * How much work a function does with text, counted in characters instead of measured in time: the
 * methods that look at text are replaced by ones that also count. Loops that ask for one character
 * at a time, and searches that run to the end of a text, both show. What regular expressions do is
 * not counted: that it is linear is another test's matter.
 */

/** Characters looked at so far. */
let work = 0;

// deno-lint-ignore no-explicit-any -- any method at all
type Method = (this: any, ...args: any[]) => any;
type Cost = (self: string, args: unknown[], result: unknown) => number;

const one: Cost = () => 1;
const whole: Cost = (self) => self.length;
const sought: Cost = (_, [sought]) => String(sought).length;
const made: Cost = (_, __, result) => String(result).length;
const given: Cost = (_, [text]) => String(text).length;
const toFound: Cost = (self, [sought, from = 0], result) =>
  (Number(result) < 0 ? self.length - Number(from) : Number(result) - Number(from)) + String(sought).length;

/** What the methods of texts cost that do not look at the whole of it. */
const OF_TEXTS: Record<string, Cost> = {
  charCodeAt: one,
  codePointAt: one,
  at: one,
  indexOf: toFound,
  slice: made,
  substring: made,
  startsWith: sought,
  endsWith: sought,
};

const WHOLE = "lastIndexOf includes split replace replaceAll trim trimStart trimEnd toLowerCase toWellFormed".split(
  " ",
);

/** Replaces a function by one that counts, and returns a function that restores it. */
function count(holder: object, name: string, cost: Cost): () => void {
  const before = Object.getOwnPropertyDescriptor(holder, name)!;
  const method = before.value as Method;
  const counting: Method = function (...args) {
    let result: unknown;
    try {
      return result = method.apply(this, args);
    } finally {
      work += cost(this, args, result);
    }
  };
  // BigInt() has functions of its own, which stay reachable.
  Object.defineProperty(holder, name, { ...before, value: Object.setPrototypeOf(counting, method) });
  return () => Object.defineProperty(holder, name, before);
}

/** The characters that `run` looks at. Nothing else may run meanwhile. */
export async function countWork(run: () => unknown): Promise<number> {
  const restore = [
    ...Object.entries(OF_TEXTS).map(([name, cost]) => count(String.prototype, name, cost)),
    ...WHOLE.map((name) => count(String.prototype, name, whole)),
    count(JSON, "parse", given),
    count(globalThis, "decodeURIComponent", given),
    // To make a bigint of digits takes the square of their number.
    count(globalThis, "BigInt", (...of) => given(...of) ** 2),
  ];
  work = 0;
  try {
    await run();
    return work;
  } finally {
    for (const undo of restore) undo();
  }
}
