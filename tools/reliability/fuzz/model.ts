/**
 * The service on a page: README.md and the specification as code that predicts every response. It
 * shares nothing with lib/ but the platform, and does not predict the wording of messages.
 */

import * as values from "./model_values.ts";

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
    const [root, base, first, second, ...rest] = path.split("/").map(values.unescape);
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
    for (const [name, isValid] of Object.entries(values.PARAMETERS)) {
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
    const key = header === null ? undefined : values.IDEMPOTENCY_KEYS[header];
    if (header !== null && key === undefined) return failure(400, "invalid_idempotency_key");
    const isJson = /^application\/json[ \t]*(;|$)/i.test(fields.get("content-type") ?? "application/json");
    const isPlain = /^identity$/i.test(fields.get("content-encoding") ?? "identity");
    if (!isJson || !isPlain) return failure(415, "unsupported_media_type");
    if (body.length > LIMITS.maxBodyBytes) return failure(413, "body_too_large");
    let value: unknown;
    try {
      value = values.readJson(body);
    } catch {
      return failure(400, "invalid_json");
    }
    const members = values.readMembers(value);
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
