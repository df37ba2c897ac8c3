/**
 * The one check of options. Each option has a check: a function that gets the value of the app and
 * the name of the option, for its message. It returns the value that the program uses, or the
 * default if the app has given none, and throws if the value is wrong. What it returns may be of
 * another type, such as an observer made of a function. A name without a check is refused.
 */

/** The check of one option. An option that the app has not given is undefined. */
export type Check<Given, To> = (given: Given, name: string) => To;

/** The checks of an object of options: one for each member. A member without one does not compile. */
export type Checks<Given, To> = { [Name in keyof To & keyof Given]: Check<Given[Name], To[Name]> };

/**
 * Checks an object of options.
 *
 * @param within The option that has these members, for messages. If absent, they are options
 * themselves.
 * @throws {TypeError} If one is unknown: a misspelt one would have no effect, and a key with a
 * misspelt expiry would never expire.
 */
export function checkAll<Given extends object, To>(
  checks: Checks<Given, To>,
  given: Given,
  within = "",
): To {
  const names = Object.keys(checks);
  const list = names.join(", ");
  const prefix = within && `${within}.`;
  if (typeof given !== "object" || given === null) throw invalid(within, `an object of ${list}`, given);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`Unknown option ${prefix}${unknown}; the options are ${list}`);
  }
  const made = {} as To;
  for (const name of names as (keyof To & keyof Given & string)[]) {
    made[name] = checks[name](given[name], prefix + name);
  }
  return made;
}

/**
 * Makes a check from a function that reads the value.
 *
 * @param parse Returns undefined for a wrong value.
 * @param fallback The result if the option is undefined. It is valid as it is, also if it is given.
 */
export function option<Made, Fallback>(
  wanted: string,
  parse: (given: unknown) => Made | undefined,
  fallback: Fallback,
): (given: unknown, name: string) => Made | Fallback {
  return (given, name) => {
    if (given === undefined || given === fallback) return fallback;
    const made = parse(given);
    if (made !== undefined) return made;
    throw invalid(name, wanted, given);
  };
}

/** Makes a check of a text from a function that reads it, as {@link option} does. */
export function text<Fallback>(wanted: string, parse: (given: string) => string | undefined, fallback: Fallback) {
  return option(wanted, (given) => typeof given === "string" ? parse(given) : undefined, fallback);
}

export const nonEmptyText: Check<string | undefined, string | undefined> = text(
  "a text that is not empty",
  (given) => given === "" ? undefined : given,
  undefined,
);

/** Makes a check that allows the listed values alone. */
export function oneOf<T>(allowed: readonly T[], fallback: T): Check<T | undefined, T> {
  return (given = fallback, name) => {
    if (given === fallback || allowed.includes(given)) return given;
    throw invalid(name, `one of ${allowed.join(", ")}`, given);
  };
}

export function optionalFunction<T>(fallback: T): Check<T | undefined, T> {
  return option("a function", (given) => typeof given === "function" ? given as T : undefined, fallback);
}

/** The longest delay of a timer, in milliseconds. One that is longer than an int32 fires at once. */
const MAX_DELAY = 2 ** 31 - 1;

/** A check of a whole number from 1 to `max`. By default, it may be the milliseconds of a timer. */
export function wholeNumber(fallback?: number, max: number = MAX_DELAY): Check<number | undefined, number> {
  return (given = fallback, name) => {
    if (Number.isInteger(given) && given! > 0 && given! <= max) return given!;
    const type = typeof given === "number" ? RangeError : TypeError;
    throw invalid(name, `a whole number from 1 to ${max}`, given, type);
  };
}

/** Requires that an object of the app has these methods. */
export function requireMethods<T>(given: T, methods: readonly (keyof T & string)[], name: string, wanted: string): T {
  const missing = methods.find((method) => typeof given?.[method] !== "function");
  if (missing === undefined) return given;
  throw invalid(name, `${wanted}, with ${missing}()`, given);
}

export function invalid(name: string, wanted: string, given: unknown, type: ErrorConstructor = TypeError): Error {
  const shown = typeof given === "string" ? JSON.stringify(given) : String(given);
  return new type(`${name ? `Option ${name}` : "The options"} must be ${wanted}, not ${shown}`);
}
