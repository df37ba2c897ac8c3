/** The `Idempotency-Key` header, which makes a request safe to retry (draft-ietf-httpapi-idempotency-key-header). */

import { Problem } from "../http/problem.ts";
import type { RequestContext } from "../http/context.ts";
import { sha256 } from "../http/hash.ts";
import type { JsonObject } from "./json_types.ts";

/** The longest key, in characters, without its quotes. */
const MAX_LENGTH = 255;

export const INVALID_IDEMPOTENCY_KEY: Problem = /* @__PURE__ */ new Problem(
  400,
  "invalid_idempotency_key",
  `The Idempotency-Key must be 1 to ${MAX_LENGTH} visible ASCII characters without quote, backslash and comma, or a quoted string`,
);

export const IDEMPOTENCY_KEY_REUSED: Problem = /* @__PURE__ */ new Problem(
  422,
  "idempotency_key_reused",
  "The Idempotency-Key was used for another pet; use a new one",
);

/** The response where the store has no `createOnce`. To ignore the header would break its promise. */
export const IDEMPOTENCY_NOT_SUPPORTED: Problem = /* @__PURE__ */ new Problem(
  501,
  "not_implemented",
  "Idempotency-Key is not supported; send the request without it",
);

/**
 * The key of a request: a string item (RFC 9651) as in the draft, or the same without quotes, as
 * many clients send it. `undefined` if there is no such header.
 *
 * @throws {Problem} If it is not valid.
 */
export function readIdempotencyKey(context: RequestContext): string | undefined {
  const header = context.header("idempotency-key");
  if (header === null) return undefined;
  const key = parseKey(header.trim());
  if (key === undefined || key === "" || key.length > MAX_LENGTH) throw INVALID_IDEMPOTENCY_KEY;
  return key;
}

function parseKey(field: string): string | undefined {
  if (field.startsWith('"')) return parseStringItem(field);
  // A bare key is visible ASCII without quote, backslash and comma. A comma would mean that two headers were joined.
  const isBareKey = /^[!-~]*$/.test(field) && !/["\\,]/.test(field);
  return isBareKey ? field : undefined;
}

/**
 * A string with its quotes, and the parameters after it. The string has printable ASCII characters,
 * with a backslash before each quote and each backslash (RFC 9651 §3.3.3).
 */
const STRING_ITEM = /^"((?:[ !#-[\]-~]|\\["\\])*)"(?:;.*)?$/;

/**
 * Reads a field that is a string item of structured fields (RFC 9651 §3.3.3), such as
 * `"a \"b\"";c=1`. Its parameters are ignored (§3.1.2).
 *
 * @returns The text of the string, or undefined if the field is no string item.
 */
function parseStringItem(field: string): string | undefined {
  const [, escaped] = STRING_ITEM.exec(field) ?? [];
  return escaped?.replace(/\\(.)/g, "$1");
}

/** The key for the store: different for each caller, and a digest, so that it does not reveal the caller. */
export function scopedKey(scope: string, key: string): Promise<string> {
  // A key contains no line feed, so two different pairs never give the same text.
  return digest(`${scope}\n${key}`);
}

/** 128 bits of the SHA-256 digest of a text, as 22 characters of base64url (RFC 4648 §5). */
export async function digest(text: string): Promise<string> {
  const bytes = (await sha256(text)).subarray(0, 16);
  return btoa(String.fromCharCode(...bytes)).slice(0, 22).replaceAll("+", "-").replaceAll("/", "_");
}

const HOUR = 3_600_000;

/** The members of the description of an operation that takes the header. */
export function describeIdempotency(retentionMs: number): JsonObject {
  return {
    externalDocs: {
      url: "https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/",
      description: "The Idempotency-Key header",
    },
    parameters: [{
      name: "Idempotency-Key",
      in: "header",
      description: "Makes it safe to repeat the request. A second request with the same key and the same animal " +
        "gets the first response again, with `Idempotency-Replayed: true`, and adds nothing. Use a new key for each " +
        "new animal, such as the UUID `8e03978e-40d5-43dd-bc93-6894a57f9324`, with or without quotes. " +
        `The key is remembered for ${retentionMs / HOUR} hours. ` +
        "The same key from another caller is a different key.",
      // There is no example, because some documentation pages would send it with every request.
      schema: { type: "string", minLength: 1 },
    }],
  };
}
