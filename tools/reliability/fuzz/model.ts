/**
 * The service on a page: README.md and the specification as code that predicts every response. It
 * shares nothing with lib/ but the platform, and does not predict the wording of messages.
 */

const DEPRECATED = {
  deprecation: "@1795132800",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  link: '</v1/pets>; rel="successor-version"',
};

export const KEY = "pk_fuzz";

/** Small, so that bodies around the limit are cheap. Every valid name fits, however escaped. */
export const LIMITS = { maxBodyBytes: 4096 };

/** A request as the service gets it. `target` has the path, the query, and a fragment if the host leaves one. */
export interface ModelRequest {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  /** A character for each byte, so that a report is readable. */
  body?: string | undefined;
}

/** A predicted response. Those of {@link FORETOLD_HEADERS} that are not in `headers` must be absent. */
export interface Prediction {
  status: number;
  code?: string;
  /** The body for GET; HEAD has none. */
  body?: string;
  headers: Record<string, string>;
  /** The content that the entity tag stands for: equal contents have equal tags. */
  representation?: string;
}

/** The other headers are in the description, with which each response is compared too. */
export const FORETOLD_HEADERS = ["allow", "deprecation", "idempotency-replayed", "link", "location", "sunset"] as const;

interface ModelPet {
  id: number;
  status: string;
  json: string;
}

export class Model {
  /** The entity tags that the service has given so far, by the contents that they stand for. */
  readonly tags: Map<string, string> = new Map();
  /** The id of the next pet. PostgreSQL may leave ids out. */
  nextId = 1;
  readonly #pets: ModelPet[] = [];
  readonly #remembered = new Map<string, { pet: string; response: Prediction }>();

  predict({ method, target, headers, body = "" }: ModelRequest): Prediction {
    const fields = new Headers(headers);
    const [, path = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(target) ?? [];
    const [root, base, first, second, ...rest] = path.split("/").map(unescape);
    const authorization = fields.get("authorization");
    if (authorization === null) return failure(401, "missing_api_key");
    if (/^bearer +(.*)$/i.exec(authorization)?.[1] !== KEY) return failure(401, "invalid_api_key");

    if (root !== "" || base !== "v1" || second === "" || rest.length > 0) return failure(404, "route_not_found");
    if (first === "pets" && second === undefined) {
      const list = () => this.#list(query, fields);
      return choose(method, { GET: list, HEAD: list, POST: () => this.#create(fields, body) });
    }
    if (first === "pets") {
      const get = () => this.#get(second!, fields);
      const response = choose(method, { GET: get, HEAD: get });
      return { ...response, headers: { ...response.headers, ...DEPRECATED } };
    }
    const orders = () => failure(501, "not_implemented");
    if (first === "store" && second === "orders") return choose(method, { GET: orders, HEAD: orders });
    return failure(404, "route_not_found");
  }

  #get(id: string, fields: Headers): Prediction {
    const pet = this.#pets.find((pet) => String(pet.id) === id);
    return pet ? this.#represent(pet.json, undefined, fields) : failure(404, "pet_not_found");
  }

  #list(query: string, fields: Headers): Prediction {
    const parameters = new URLSearchParams("&" + query);
    for (const [name, isValid] of Object.entries(PARAMETERS)) {
      const given = parameters.getAll(name);
      if (given.length > 1 || !given.every(isValid)) return failure(400, `invalid_${name}`);
    }
    const [status, cursor] = [parameters.get("status"), parameters.get("cursor")];
    const limit = Number(parameters.get("limit") ?? 20);
    const after = cursor === null ? 0n : BigInt(atob(cursor).slice("after:".length));
    const found = this.#pets.filter((pet) => pet.id > after && (status === null || pet.status === status));
    const page = found.slice(0, limit);
    const next = btoa(`after:${page.at(-1)?.id}`).replaceAll("=", "");
    const link = `</v1/pets?limit=${limit}${status === null ? "" : `&status=${status}`}&cursor=${next}>; rel="next"`;
    const json = `[${page.map((pet) => pet.json).join(",")}]`;
    return this.#represent(json, found.length > limit ? link : undefined, fields);
  }

  #represent(body: string, link: string | undefined, fields: Headers): Prediction {
    const condition = fields.get("if-none-match") ?? "";
    const representation = link === undefined ? body : `${body} and more`;
    const tag = this.tags.get(representation);
    const isFresh = condition === "*" || tag !== undefined && condition.includes(tag);
    return { status: isFresh ? 304 : 200, body, headers: link === undefined ? {} : { link }, representation };
  }

  #create(fields: Headers, body: string): Prediction {
    const header = fields.get("idempotency-key");
    const key = header === null ? undefined : IDEMPOTENCY_KEYS[header];
    if (header !== null && key === undefined) return failure(400, "invalid_idempotency_key");
    const isJson = /^application\/json[ \t]*(;|$)/i.test(fields.get("content-type") ?? "application/json");
    const isPlain = /^identity$/i.test(fields.get("content-encoding") ?? "identity");
    if (!isJson || !isPlain) return failure(415, "unsupported_media_type");
    if (body.length > LIMITS.maxBodyBytes) return failure(413, "body_too_large");
    let value: unknown;
    try {
      value = readJson(body);
    } catch {
      return failure(400, "invalid_json");
    }
    const members = readMembers(value);
    if (members === undefined) return failure(400, "invalid_pet");
    if (key === undefined) return this.#add(...members);
    // This is the pet as it is stored: a missing status becomes the default.
    const pet = JSON.stringify([...members, "available"].slice(0, 3));
    const first = this.#remembered.get(key);
    if (first === undefined) {
      const response = this.#add(...members);
      this.#remembered.set(key, { pet, response });
      return response;
    }
    if (first.pet !== pet) return failure(422, "idempotency_key_reused");
    return { ...first.response, headers: { ...first.response.headers, "idempotency-replayed": "true" } };
  }

  #add(name: string, categoryId: string, status = "available"): Prediction {
    const id = this.nextId++;
    const json = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
    this.#pets.push({ id, status, json });
    return { status: 201, body: json, headers: { location: `/v1/pets/${id}` } };
  }
}

function failure(status: number, code: string, headers: Record<string, string> = {}): Prediction {
  return { status, code, headers };
}

function choose(method: string, methods: Record<string, () => Prediction>): Prediction {
  const allow = [...Object.keys(methods), "OPTIONS"].join(", ");
  if (method === "OPTIONS") return { status: 204, headers: { allow } };
  return Object.hasOwn(methods, method) ? methods[method]!() : failure(405, "method_not_allowed", { allow });
}

const STATUSES = ["available", "pending", "sold"];

class Written {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** A segment means what it decodes to. If it does not decode, or holds a slash, it stands for itself. */
function unescape(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment);
    return decoded.includes("/") ? segment : decoded;
  } catch {
    return segment;
  }
}

const isLimit = (value: string): boolean => /^[1-9]\d*$/.test(value) && Number(value) <= 100;
const isStatus = (value: string): boolean => STATUSES.includes(value);

function isCursor(value: string): boolean {
  if (!/^[A-Za-z0-9]+$/.test(value) || value.length % 4 === 1) return false;
  const text = atob(value);
  const id = /^after:([1-9]\d*)$/.exec(text)?.[1];
  return id !== undefined && isInt64(BigInt(id)) && btoa(text).replaceAll("=", "") === value;
}

/** The query parameters of a list, in the order in which their faults are reported. */
const PARAMETERS = { limit: isLimit, status: isStatus, cursor: isCursor };

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/**
 * Every `Idempotency-Key` that is sent, and the key that it means: a structured-field string (RFC
 * 9651 §3.3.3) or a bare key, of 1 to 255 characters. There are few keys, so that they repeat.
 */
export const IDEMPOTENCY_KEYS: Readonly<Record<string, string | undefined>> = {
  a: "a",
  '"a"': "a",
  b: "b",
  '"a";p=1': "a",
  '"a\\"b"': 'a"b',
  [`"${"k".repeat(255)}"`]: "k".repeat(255),
  ["k".repeat(256)]: undefined,
  '"a";p=': "a",
  '"a': undefined,
  '"a\\b"': undefined,
  "a b": undefined,
  '"\xe9"': undefined,
  '""': undefined,
};

/** The value of a body, with a character for each byte. */
export function readJson(body: string): unknown {
  const keepSource = (_: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" ? new Written(source) : value;
  const bytes = Uint8Array.from(body, (character) => character.charCodeAt(0));
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  return JSON.parse(text, keepSource as (name: string, value: unknown) => unknown);
}

/** The members of a pet as sent, or `undefined` if they are invalid. */
function readMembers(value: unknown): [name: string, categoryId: string, status?: string] | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Written) return undefined;
  const { name, categoryId, status } = value as Record<string, unknown>;
  const id = categoryId instanceof Written ? exactInteger(categoryId.source) : undefined;
  if (typeof name !== "string" || !/^(?!\s*$)[^\p{Cc}\p{Cs}]{1,255}$/u.test(name) || id === undefined) return undefined;
  if (!Object.hasOwn(value, "status")) return [name, String(id)];
  return typeof status === "string" && isStatus(status) ? [name, String(id), status] : undefined;
}

function exactInteger(source: string): bigint | undefined {
  const [, whole = "", fraction = "", exponent = "0"] = /^(-?\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(source) ?? [];
  const digits = BigInt(whole + fraction), shift = Number(exponent) - fraction.length;
  const unit = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % unit !== 0n) return undefined;
  const value = shift < 0 ? digits / unit : digits * unit;
  return isInt64(value) ? value : undefined;
}
