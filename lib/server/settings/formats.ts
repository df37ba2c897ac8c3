/** The formats of options: what a valid text is, and which value it stands for. */

import { isIPv6 } from "node:net";
import { areOrigins } from "../../http/cors.ts";
import type { OpenApiServer } from "../../openapi/describe.ts";
import { checkOption } from "../../petstore/checked_options.ts";
import { checkFaults, type FaultOptions, FAULTS } from "../../petstore/fault_options.ts";
import type { Stability } from "../../petstore/options.ts";
import { SettingError } from "../process/start_error.ts";

/** How the text of a value is read. */
export interface Format<T> {
  /** What the help text calls the value, as in `--port <number>`. */
  name: string;
  /** Says what a valid text is, such as `a number from 1 to 9`, for messages. */
  form: string;
  /** The value of a text; undefined if the text is not valid. */
  parse(text: string): T | undefined;
}

/** Any text. What reads the value checks it. */
export function text(name: string): Format<string> {
  return { name, form: "a text", parse: (text) => text };
}

/** Whole numbers of at most seven digits, which are enough for every setting. */
export function numberFrom(least: number, most: number): Format<number> {
  return {
    name: "number",
    form: `a number from ${least} to ${most}`,
    parse(text) {
      if (!/^\d{1,7}$/.test(text)) return undefined;
      const number = Number(text);
      return number >= least && number <= most ? number : undefined;
    },
  };
}

export function oneOf<Choice extends string>(...choices: readonly Choice[]): Format<Choice> {
  return {
    name: choices.join("|"),
    form: new Intl.ListFormat("en-GB", { type: "disjunction" }).format(choices),
    parse: (text) => choices.find((choice) => choice === text),
  };
}

/** The units of times in settings and flags, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A duration such as `12h` or `90d`, in milliseconds. */
export const DURATION: Format<number> = {
  name: "time",
  form: "a time such as 12h, 90d or 1w (s, m, h, d or w)",
  parse(text) {
    const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
    return count === undefined ? undefined : Number(count) * UNITS[unit]!;
  },
};

/** A time in the future: the end of a duration from now, or the beginning of a day in UTC. */
export const EXPIRY: Format<Date> = {
  name: "time",
  form: `${DURATION.form}, or a date in the future such as 2031-12-31`,
  parse(text) {
    const lifetime = DURATION.parse(text);
    const time = lifetime === undefined ? dayOf(text) : new Date(Date.now() + lifetime);
    return time && time.getTime() > Date.now() ? time : undefined;
  },
};

/** The beginning of a day in UTC, or undefined if there is no such day. */
function dayOf(text: string): Date | undefined {
  const day = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text : Number.NaN);
  // `Date` takes the 30th of February for a day of March, so the day is formatted again and compared.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? day : undefined;
}

export const HOSTNAME: Format<string> = {
  name: "address",
  form: "an address or a name, such as 127.0.0.1",
  parse: (text) => /^[\w.-]+$/.test(text) || isIPv6(text) ? text : undefined,
};

export const PORT: Format<number> = numberFrom(0, 65_535);

export const ADDRESS: Format<{ hostname: string; port: number }> = {
  name: "address:port",
  form: "an address and a port, such as 127.0.0.1:9464",
  parse(text) {
    const [, ipv6, name, digits = ""] = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+)):(\d+)$/.exec(text) ?? [];
    const hostname = ipv6 ?? name;
    const port = PORT.parse(digits);
    return hostname === undefined || port === undefined ? undefined : { hostname, port };
  },
};

export const PUBLIC_URL: Format<string> = {
  name: "url",
  form: "an address such as https://api.example/v1, or a path",
  parse(text) {
    try {
      checkOption("publicBaseUrl", text);
      return text;
    } catch {
      // The message of the library would quote the text, which may have a password.
      return undefined;
    }
  },
};

/** An address that the description names, after its name if it has one. It ends in the version (§9 of the specification). */
export const OPENAPI_SERVER: Format<OpenApiServer> = {
  name: "[name=]url",
  form: "an address that ends in /v1, after a name if it has one, such as Production=https://api.example/v1",
  parse(text) {
    const [, description, url] = /^(?:([^=/]+)=)?(https?:\/\/[^?#@]+\/v1)$/.exec(text) ?? [];
    if (url === undefined || PUBLIC_URL.parse(url) === undefined) return undefined;
    return { url, ...(description !== undefined && { description }) };
  },
};

export const ORIGIN: Format<string> = {
  name: "origin",
  form: "an origin such as https://app.example, without a path or a slash at its end, or *",
  parse: (text) => areOrigins([text]) ? text : undefined,
};

/** An operation and its label. */
export const STABILITY: Format<Record<string, Stability>> = {
  name: "operation=label",
  form: "an operation and its label, such as listPets=beta",
  parse(text) {
    const [operation = ""] = text.split("=", 1);
    const labels = { [operation]: text.slice(operation.length + 1) as Stability };
    // The library refuses unknown operations and labels.
    checkAsSetting("--stability: ", () => checkOption("stability", labels));
    return labels;
  },
};

export const FAULT_SHARES: Format<FaultOptions> = {
  name: "fault=share,…",
  form: "faults and their shares, such as lose=0.1",
  parse(text) {
    if (text === "") return undefined;
    const faults: FaultOptions = Object.fromEntries(text.split(",").map(readFault));
    checkAsSetting("--faults: ", () => checkFaults(faults));
    // The start says that some requests fail, and a test that relies on it would find every client good.
    if (!FAULTS.some((fault) => faults[fault])) {
      throw new SettingError(`--faults: No request would fail; give a share of ${FAULTS.join(", ")}, such as lose=0.1`);
    }
    return faults;
  },
};

/** Reads one of the options of `withFaults()`, such as `lose=0.1`. A text that is no number is kept, and the library refuses it. */
function readFault(option: string): [name: string, value: unknown] {
  const [, name, value] = /^ *(\w+)=(.+)$/.exec(option) ?? [];
  if (name === undefined || value === undefined) {
    const advice = "write a plus between operations, as in lose=0.1,operations=createPet+getPet";
    throw new SettingError(`--faults: ${option} has no value; ${advice}`);
  }
  if (name === "operations") return [name, value.split("+")];
  return [name, /^\d*\.?\d+$/.test(value) ? Number(value) : value];
}

/**
 * Runs a check of the library, which throws a `TypeError` or a `RangeError` for a wrong value.
 *
 * @param prefix The beginning of the message.
 * @throws {SettingError} In place of these errors.
 */
export function checkAsSetting<T>(prefix: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const isWrongValue = error instanceof TypeError || error instanceof RangeError;
    throw isWrongValue ? new SettingError(prefix + error.message) : error;
  }
}
