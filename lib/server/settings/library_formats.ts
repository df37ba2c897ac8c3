/** The formats of options that the library takes. The library checks their values. */

import { areOrigins } from "../../http/cors.ts";
import type { OpenApiServer } from "../../openapi/describe.ts";
import { checkOption } from "../../petstore/checked_options.ts";
import { checkFaults, type FaultOptions, FAULTS } from "../../petstore/fault_options.ts";
import type { Stability } from "../../petstore/options.ts";
import type { Format } from "./formats.ts";

/** A Bearer token, as a client can send it (RFC 6750 §2.1). */
const TOKEN = /^[\w.~+/-]+=*$/;

/** What templates write for a value that is missing or masked: `None` comes from Jinja, and `nil` from Ruby. */
const NO_VALUE = /^(?:null|none|nil|undefined|x+)$/i;

/**
 * Whether a text is meant as a key or as its digest. Another text stands there by mistake, and
 * anyone could guess it: a comment, a line of an env file, JSON, a reference to a vault, or a
 * digest with a misspelt prefix.
 */
function isKeyOrDigest(text: string): boolean {
  if (NO_VALUE.test(text)) return false;
  return TOKEN.test(text) || text.startsWith("sha256:");
}

export const API_KEY: Format<string> = {
  placeholder: "key",
  description: "an API key",
  parse(text) {
    // The message of the default would quote the key.
    if (!isKeyOrDigest(text)) {
      throw new TypeError(
        "An API key has letters, digits and -._~+/ alone, or is sha256: and the 64 hex digits of another key",
      );
    }
    checkOption("keys", [text]);
    return text;
  },
};

export const PUBLIC_URL: Format<string> = {
  placeholder: "url",
  description: "an address such as https://api.example/v1, or a path",
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

/**
 * An address that the description names, after its name if it has one. It ends in the version (§9
 * of the specification).
 */
export const OPENAPI_SERVER: Format<OpenApiServer> = {
  placeholder: "[name=]url",
  description: "an address that ends in /v1, after a name if it has one, such as Production=https://api.example/v1",
  parse(text) {
    const [, description, url] = /^(?:([^=/]+)=)?(https?:\/\/[^?#@]+\/v1)$/.exec(text) ?? [];
    if (url === undefined || PUBLIC_URL.parse(url) === undefined) return undefined;
    return { url, ...(description !== undefined && { description }) };
  },
};

export const ORIGIN: Format<string> = {
  placeholder: "origin",
  description: "an origin such as https://app.example, without a path or a slash at its end, or *",
  parse: (text) => areOrigins([text]) ? text : undefined,
};

export const STABILITY: Format<Record<string, Stability>> = {
  placeholder: "operation=label",
  description: "an operation and its label, such as listPets=beta",
  parse(text) {
    const [operation = "", ...label] = text.split("=");
    const labels = { [operation]: label.join("=") as Stability };
    // The library refuses unknown operations and labels.
    checkOption("stability", labels);
    return labels;
  },
};

export const FAULT_SHARES: Format<FaultOptions> = {
  placeholder: "fault=share,…",
  description: "faults and their shares, such as lose=0.1",
  parse(text) {
    if (text === "") return undefined;
    const faults: FaultOptions = Object.fromEntries(text.split(",").map(readFault));
    checkFaults(faults);
    // Without a fault, a test that relies on faults would find every client good.
    if (!FAULTS.some((fault) => faults[fault])) {
      throw new RangeError(`No request would fail; give a share of ${FAULTS.join(", ")}, such as lose=0.1`);
    }
    return faults;
  },
};

/**
 * Reads one of the options of `withFaults()`, such as `lose=0.1`. A text that is no number is kept,
 * and the library refuses it.
 */
function readFault(option: string): [name: string, value: unknown] {
  const [, name, value] = /^ *(\w+)=(.+)$/.exec(option) ?? [];
  if (name === undefined || value === undefined) {
    const advice = "write a plus between operations, as in lose=0.1,operations=createPet+getPet";
    throw new TypeError(`${option} has no value; ${advice}`);
  }
  if (name === "operations") return [name, value.split("+")];
  return [name, /^\d*\.?\d+$/.test(value) ? Number(value) : value];
}
