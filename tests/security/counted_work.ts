/**
 * How much work a function does with text, counted in characters instead of measured in time: the methods that look at
 * text are replaced by ones that also count, and so are those that throw. Loops that ask for one character at a time, and
 * searches that run to the end of a text, both show. What regular expressions do is not counted: that it is linear is another
 * test's matter.
 */

/** Characters looked at so far. */
let work = 0;

// deno-lint-ignore no-explicit-any -- any method at all
type Method = (this: any, ...args: any[]) => any;
type Cost = (self: string, args: unknown[], result: unknown) => number;

const whole: Cost = (self) => self.length;
const toFound: Cost = (self, [sought, from = 0], result) =>
  (Number(result) < 0 ? self.length - Number(from) : Number(result) - Number(from)) + String(sought).length;

const STRING_METHODS: Record<string, Cost> = {
  charCodeAt: () => 1,
  codePointAt: () => 1,
  at: () => 1,
  indexOf: toFound,
  startsWith: (_, [sought]) => String(sought).length,
  endsWith: (_, [sought]) => String(sought).length,
  slice: (_, __, result) => String(result).length,
  substring: (_, __, result) => String(result).length,
  lastIndexOf: whole,
  includes: whole,
  split: whole,
  replace: whole,
  replaceAll: whole,
  trim: whole,
  trimStart: whole,
  trimEnd: whole,
  toLowerCase: whole,
  toWellFormed: whole,
  isWellFormed: whole,
};

/** An exception records where it comes from, which takes some microseconds: as long as to look at so many characters. */
const THROWN = 2000;

/** A call of a reviver, for one value of a text, takes as long as to parse so many characters. */
const REVIVED = 100;

/** Functions that look at all of the text they are given. To make a bigint of digits takes the square of their number. */
const FUNCTIONS: [holder: object, name: string, cost: (text: string) => number][] = [
  [JSON, "parse", ({ length }) => length],
  [globalThis, "decodeURIComponent", ({ length }) => length],
  [globalThis, "encodeURIComponent", ({ length }) => length],
  [globalThis, "BigInt", ({ length }) => length ** 2],
];

function replace(holder: object, name: string, wrap: (method: Method) => Method): () => void {
  const before = Object.getOwnPropertyDescriptor(holder, name);
  if (typeof before?.value !== "function") throw new Error(`There is no function ${name} to count`);
  const method = before.value as Method;
  // BigInt() has functions of its own, which stay reachable.
  Object.defineProperty(holder, name, { ...before, value: Object.setPrototypeOf(wrap(method), method) });
  return () => Object.defineProperty(holder, name, before);
}

/** A reviver whose calls count. */
function countCalls(reviver: Method): Method {
  return function (...args) {
    work += REVIVED;
    return reviver.apply(this, args);
  };
}

/** The characters that `run` looks at. Nothing else may run meanwhile. */
export async function countWork(run: () => unknown): Promise<number> {
  const restore = [
    ...Object.entries(STRING_METHODS).map(([name, cost]) =>
      replace(String.prototype, name, (method) =>
        function (...args) {
          const result = method.apply(this, args);
          work += cost(this, args, result);
          return result;
        })
    ),
    ...FUNCTIONS.map(([holder, name, cost]) =>
      replace(holder, name, (method) =>
        function (...args) {
          if (typeof args[0] === "string") work += cost(args[0]);
          try {
            return method.apply(this, args.map((given) => typeof given === "function" ? countCalls(given) : given));
          } catch (thrown) {
            work += THROWN;
            throw thrown;
          }
        })
    ),
  ];
  work = 0;
  try {
    await run();
    return work;
  } finally {
    for (const undo of restore) undo();
  }
}
