/** Mistakes that few requests show: those with some values, the nth one, or one after another. Written before the cases that refute them. */

import { createHash } from "node:crypto";
import { asJson } from "../../lib/http/assert.ts";
import { parseExact } from "../../lib/http/exact.ts";
import { KEY } from "../../../../tests/support/api.ts";
import {
  admits,
  answers,
  isCreate,
  isGet,
  isList,
  lists,
  type Mistake,
  paths,
  type Pet,
  queries,
  reads,
  remembers,
  shows,
  withKey,
} from "./planting.ts";

/** A mistake in some requests alone. */
export function only(where: (request: Request) => boolean, mistake: Mistake): Mistake {
  return (next) => {
    const wrong = mistake(next);
    return (request) => where(request) ? wrong(request) : next(request);
  };
}

/** A mistake in each nth request of a kind. */
export function each(n: number, kind: (request: Request) => boolean, mistake: Mistake): Mistake {
  return (next) => {
    let count = 0;
    return only((request) => kind(request) && ++count % n === 0, mistake)(next);
  };
}

const letIn: Mistake = (next) => (request) => next(withKey(request));
const field = (name: string) => ({ headers }: Request) => headers.get(name) ?? "";
const authorization = field("authorization");
const parameter = (name: string) => ({ url }: Request) => new URL(url).searchParams.get(name) ?? "";
const isRight = (request: Request) => authorization(request) === `Bearer ${KEY}`;
const isBare = (request: Request) => authorization(request) === "";
const idIn = ({ url }: Request) => BigInt(/\/pets\/(\d+)/.exec(url)?.[1] ?? 0);
const basic = (request: Request) => {
  try {
    return atob(authorization(request).replace("Basic ", ""));
  } catch {
    return "";
  }
};
const decoded = (token: string) => {
  try {
    return decodeURIComponent(token);
  } catch {
    return "";
  }
};

const KEYS: Record<string, Mistake> = {
  "the key with percent signs": admits((_, token) => token !== KEY && decoded(token) === KEY),
  "the key before a zero byte": admits((_, token) => token.split("%00")[0] === KEY),
  "the key in capitals, to a list": admits((_, token) => token === KEY.toUpperCase(), isList),
  "the key without hyphens and underscores": admits((_, token) =>
    token.replaceAll(/[-_]/g, "") === KEY.replaceAll(/[-_]/g, "")
  ),
  "the last part of the key": admits((_, token) => token === KEY.split("_").at(-1)),
  "the key in Base64": admits((_, token) => token === btoa(KEY)),
  "the digest of the key": admits((_, token) => token === createHash("sha256").update(KEY).digest("hex")),
  "a token without a signature": admits((_, token) => /^eyJ[^.]*\.[^.]*\.$/.test(token)),
  "a name of every object": admits((_, token) => token in {}),
  "an injection": admits((_, token) => /' or /i.test(token)),
  "a pattern": admits((_, token) => /^[.*%_]+$/.test(token) && token !== "*"),
  "two letters of the key that have changed places": admits((_, token) =>
    token !== KEY && [...token].sort().join("") === [...KEY].sort().join("")
  ),
  "all of the key but its first character": admits((_, token) => token === KEY.slice(1), isGet),
  "the first 16 characters of the key and any others": admits((_, token) => token.startsWith(KEY.slice(0, 16))),
  "the key as user with any password": only((request) => basic(request).startsWith(`${KEY}:`), letIn),
  "the key in quotes after Token": only((request) => authorization(request) === `Token token="${KEY}"`, letIn),
  "a wrong key after bearer in small letters": only((request) => authorization(request).startsWith("bearer "), letIn),
  "the key in Proxy-Authorization": only((request) => field("proxy-authorization")(request).includes(KEY), letIn),
  "the key in Sec-WebSocket-Protocol": only((request) => field("sec-websocket-protocol")(request).includes(KEY), letIn),
  "the key as any field": only(({ headers }) => [...headers.values()].includes(KEY), letIn),
  "the key as auth_token of the query": only((request) => parameter("auth_token")(request) === KEY, letIn),
  "the key as any parameter of a create": only(
    (request) => isCreate(request) && [...new URL(request.url).searchParams.values()].includes(KEY),
    letIn,
  ),
  "the key in the body": (next) => async (request) => {
    const text = isCreate(request) ? await request.clone().text() : "";
    return await next(text.includes(`Key":"${KEY}"`) ? withKey(request) : request);
  },
  "the key in the path": (next) => (request) => {
    const url = request.url.replace(`;key=${KEY}`, "");
    return next(url === request.url ? request : withKey(new Request(url, request)));
  },
  "a request from an inner system": only(({ headers }) => headers.has("x-middleware-subrequest"), letIn),
  "a user whom a proxy names": only((request) => field("x-remote-user")(request) !== "", letIn),
  "a request for localhost": only((request) => field("x-forwarded-host")(request).startsWith("localhost"), letIn),
  "a request for XML": only((request) => field("accept")(request).includes("xml"), letIn),
  "a create as plain text": only(
    (request) => isCreate(request) && field("content-type")(request).startsWith("text/plain"),
    letIn,
  ),
  "a create with an empty body": only((request) => isCreate(request) && request.body === null, letIn),
  "a list of 100": only((request) => isList(request) && parameter("limit")(request) === "100", letIn),
  "a list of 50 or more": only((request) => isList(request) && Number(parameter("limit")(request)) >= 50, letIn),
  "a list of what is pending": only((request) => isList(request) && parameter("status")(request) === "pending", letIn),
  "the first pet": only((request) => isGet(request) && idIn(request) === 1n, letIn),
  "each 7th request without a key": each(7, isBare, letIn),
  "each 40th request with a wrong key": each(40, (request) => !isRight(request), letIn),
  "the 30th guess": (next) => {
    let guesses = 0;
    return only((request) => !isRight(request) && ++guesses === 30, letIn)(next);
  },
  "GET by a method override": (next) => (request) =>
    next(
      isCreate(request) && field("x-http-method-override")(request) === "GET"
        ? withKey(new Request(request.url, { headers: request.headers }))
        : request,
    ),
};

/** Shows what the right key was shown before. */
const cache = (where: (request: Request) => boolean): Mistake => (next) => {
  const kept = new Map<string, string>();
  return async (request) => {
    if (!where(request)) return await next(request);
    const text = kept.get(request.url);
    if (!isRight(request) && text !== undefined) {
      return new Response(text, { headers: { "content-type": "application/json" } });
    }
    const response = await next(request);
    if (response.status === 200) kept.set(request.url, await response.clone().text());
    return response;
  };
};

/** Forgets pets. */
const forgets = (isGone: (id: bigint, newest: bigint, request: Request) => boolean): Mistake => (next) => {
  let newest = 0n;
  return async (request) => {
    const response = await next(request);
    if (response.status === 201) newest = (parseExact(await response.clone().text()) as { id: bigint }).id;
    const absent = new URL("/v1/pets/9223372036854775807", request.url);
    if (isGet(request) && response.status === 200 && isGone(idIn(request), newest, request)) {
      return await next(new Request(absent, request));
    }
    if (!isList(request) || response.status !== 200) return response;
    const pets = (parseExact(await response.text()) as Pet[]).filter(({ id }) =>
      !isGone(id as bigint, newest, request)
    );
    return new Response(asJson(pets), response);
  };
};

function removes(methods: readonly string[]): Mistake {
  return (next) => {
    const gone = new Set<bigint>();
    const without = forgets((id) => gone.has(id))(next);
    return (request) => {
      if (methods.includes(request.method) && idIn(request) > 0n) gone.add(idIn(request));
      return without(request);
    };
  };
}

const STATE: Record<string, Mistake> = {
  "shows lists that it keeps to everybody": cache(isList),
  "shows pets that it keeps to everybody": cache(isGet),
  "removes a pet by DELETE without a key": removes(["DELETE"]),
  "lets a request in after one with the right key": (next) => {
    let last = "";
    return (request) => {
      const isIn = !isRight(request) && last === request.url;
      last = isRight(request) ? request.url : "";
      return next(isIn ? withKey(request) : request);
    };
  },
  "lists pets for OPTIONS": (next) => (request) =>
    next(request.method === "OPTIONS" ? withKey(new Request(request.url, { headers: request.headers })) : request),
  "keeps the last 30 pets": forgets((id, newest) => id <= newest - 30n),
  "keeps each pet but the 25th": forgets((id) => id % 25n === 0n),
  "finds no pet with an id that ends with 7": forgets((id, _, request) => isGet(request) && id % 10n === 7n),
  "stores no pet of each 20th create": (next) => {
    let count = 0;
    return async (request) => {
      const response = await next(request);
      if (!isCreate(request) || response.status !== 201 || ++count % 20 !== 0) return response;
      const pet = parseExact(await response.text()) as Pet;
      return new Response(asJson({ ...pet, id: 1_000_000n + (pet["id"] as bigint) }), response);
    };
  },
  "shows a pet once": (next) => {
    const seen = new Set<string>();
    return async (request) => {
      const response = await next(request);
      if (!isGet(request) || response.status !== 200) return response;
      if (!seen.has(request.url)) return seen.add(request.url), response;
      return await next(new Request(new URL("/v1/pets/9223372036854775807", request.url), request));
    };
  },
  "says sold from the second time on": (next) => {
    const seen = new Set<string>();
    return async (request) => {
      const response = await next(request);
      if (!isGet(request) || response.status !== 200) return response;
      if (!seen.has(request.url)) return seen.add(request.url), response;
      return new Response(asJson({ ...parseExact(await response.text()) as Pet, status: "sold" }), response);
    };
  },
  "gives a pet with the same name its first id": (next) => {
    const known = new Map<unknown, Pet>();
    return async (request) => {
      const response = await next(request);
      if (!isCreate(request) || response.status !== 201) return response;
      const pet = parseExact(await response.text()) as Pet;
      const first = known.get(pet["name"]) ?? pet;
      known.set(pet["name"], first);
      return new Response(asJson(first), response);
    };
  },
  "answers each 15th list from before": (next) => {
    let count = 0, kept = "[]";
    return async (request) => {
      const response = await next(request);
      if (!isList(request) || response.status !== 200) return response;
      const text = await response.text();
      const shown = ++count % 15 === 0 ? kept : text;
      kept = text;
      return new Response(shown, response);
    };
  },
  "answers each 30th get with the pet before": (next) => {
    let count = 0;
    return remembers((pets, request) =>
      ++count % 30 === 0 ? pets.find(({ id }) => id === idIn(request) - 1n) : undefined
    )(next);
  },
};

const name = (change: (name: string) => unknown) => (pet: Pet) => ({ ...pet, name: change(String(pet["name"])) });
const category = (change: (categoryId: bigint) => unknown) => (pet: Pet) => ({
  ...pet,
  categoryId: typeof pet["categoryId"] === "bigint" ? change(pet["categoryId"]) : pet["categoryId"],
});
/** Changes what is stored. */
const stores = (change: (pet: Pet) => Pet): Mistake =>
  reads((text) => {
    try {
      const pet = parseExact(text);
      const isPet = typeof pet === "object" && pet !== null && "name" in pet && typeof pet.name === "string";
      return isPet ? asJson(change(pet as Pet)) : text;
    } catch {
      return text;
    }
  });

const VALUES: Record<string, Mistake> = {
  "create: trims names": stores(name((name) => name.trim() || name)),
  "create: writes one space for two": stores(name((name) => name.replaceAll(/ {2,}/g, " "))),
  "list: reads plus as a space": shows(name((name) => name.replaceAll("+", " ")), isList),
  "get: normalizes names by compatibility": shows(name((name) => name.normalize("NFKC")), isGet),
  "create: drops what is invisible": stores(name((name) => name.replaceAll(/[\u200b-\u200f]/g, ""))),
  "create: cuts names at 64": stores(name((name) => name.slice(0, 64))),
  "create: cuts names at 200": stores(name((name) => name.slice(0, 200))),
  "list: cuts names at 254": shows(name((name) => name.slice(0, 254)), isList),
  "list: cuts names within a character": shows(name((name) => name.slice(0, 127)), isList),
  "list: writes names of digits as numbers": shows(name((name) => /^\d+$/.test(name) ? Number(name) : name), isList),
  "get: writes the name null as null": shows(name((name) => name === "null" ? null : name), isGet),
  "create: escapes names that are formulas": stores(name((name) => name.replace(/^[=@]/, "'$&"))),
  "create: resolves names that are templates": stores(name((name) => name.replaceAll("{{7*7}}", "49"))),
  "create: reads names as HTML": stores(name((name) => name.replaceAll("&amp;", "&"))),
  "get: removes tags from names": shows(name((name) => name.replaceAll(/<[^>]*>/g, "")), isGet),
  "create: doubles quotes": stores(name((name) => name.replaceAll("'", "''"))),
  "list: drops backslashes": shows(name((name) => name.replaceAll("\\", "")), isList),
  "create: has a category without its sign": stores(category((id) => id < 0n ? -id % 2n ** 63n : id)),
  "list: has null for category 0": shows(category((id) => id === 0n ? null : id), isList),
  "list: has categories of 32 bits": shows(category((id) => BigInt.asIntN(32, id)), isList),
  "create: has categories of 32 unsigned bits": stores(category((id) => BigInt.asUintN(32, id))),
  "get: has categories of 53 bits": shows(category((id) => BigInt.asIntN(54, id)), isGet),
  "create: has 1 for category 0": stores(category((id) => id || 1n)),
  "create: has no category above 2^62": stores(category((id) => id > 2n ** 62n ? 2n ** 62n : id)),
  "create: shows the status that was sent, and stores available": (next) => async (request) => {
    const sent = isCreate(request) ? /"status": *"(\w+)"/.exec(await request.clone().text())?.[1] : undefined;
    const response = await stores((pet) => ({ ...pet, status: "available" }))(next)(request);
    if (sent === undefined || response.status !== 201) return response;
    return new Response(asJson({ ...parseExact(await response.text()) as Pet, status: sent }), response);
  },
  "create: stores pets of large categories as available": stores((pet) =>
    Number(pet["categoryId"]) > 2 ** 53 && "status" in pet ? { ...pet, status: "available" } : pet
  ),
  "create: shows a status that is null": answers((seen) => {
    if (seen.status === 201) seen.text = seen.text.replace('"status":"available"', '"status":null');
  }, isCreate),
  "list: is Latin-1": (next) => async (request) => {
    const response = await next(request);
    if (!isList(request) || response.status !== 200) return response;
    const text = await response.text();
    return new Response(Uint8Array.from(text, (unit) => unit.charCodeAt(0) & 255), response);
  },
  "get: begins with a byte-order mark": answers((seen) => void (seen.text = `\ufeff\ufeff${seen.text}`), isGet),
  "list: begins with a byte-order mark": answers((seen) => void (seen.text = `\ufeff${seen.text}`), isList),
  "get: has two names": answers((seen) => {
    if (seen.status === 200) seen.text = seen.text.replace("{", '{"name":"Rex",');
  }, isGet),
};

/** A server that takes a body which is no NewPet. */
const takes = (isTaken: (text: string) => boolean): Mistake =>
  reads((text) => isTaken(text) ? '{"name":"Oddrexofaconformancetest","categoryId":7}' : text);
const taken = (isTaken: (pet: Pet) => boolean): Mistake =>
  takes((text) => {
    try {
      const pet = JSON.parse(text);
      return typeof pet === "object" && pet !== null && !Array.isArray(pet) && isTaken(pet);
    } catch {
      return false;
    }
  });

const BODIES: Record<string, Mistake> = {
  "a comma at the end": takes((text) => /,\s*}$/.test(text)),
  "comments": takes((text) => text.includes("/*") || text.includes("//")),
  "single quotes": takes((text) => /^{'/.test(text)),
  "more after the pet": takes((text) => /}\s*[^\s}\]]/.test(text) && text.startsWith("{") && !/}.*"/.test(text)),
  "two pets": takes((text) => /}\s*{/.test(text)),
  "a form": takes((text) => /^name=/.test(text)),
  "XML": takes((text) => /^</.test(text)),
  "YAML": takes((text) => /^name: /.test(text)),
  "a pet that is cut before its end": takes((text) => /^{"name":"[^"]*","categoryId":\d+$/.test(text)),
  "members without quotes": takes((text) => /^{ *name/.test(text)),
  "a pet within a pet": taken((pet) => "pet" in pet),
  "JSON in a text": takes((text) => text.startsWith('"{')),
  "names of members in capitals": taken((pet) => "Name" in pet || "NAME" in pet),
  "category_id": taken((pet) => "category_id" in pet && !("categoryId" in pet)),
  "large fractions": taken(({ categoryId: id }) => typeof id === "number" && id > 1000 && id % 1 !== 0),
  "small fractions": taken(({ categoryId: id }) => typeof id === "number" && Math.abs(id) < 1 && id !== 0),
  "a category of 1e30": taken(({ categoryId: id }) => typeof id === "number" && Math.abs(id) >= 1e25),
  "a category that is true": taken(({ categoryId: id }) => id === true),
  "a category that is an empty text": taken(({ categoryId: id }) => id === ""),
  "a category in an array": taken(({ categoryId: id }) => Array.isArray(id)),
  "a status with a space": taken(({ status }) =>
    typeof status === "string" && /^(sold|available|pending)\s$/.test(status)
  ),
  "a status that begins with a capital": taken(({ status }) => status === "Sold" || status === "Available"),
  "an empty status": taken(({ status }) => status === ""),
  "a status in an array": taken(({ status }) => Array.isArray(status)),
  "a part of a status": taken(({ status }) => status === "avail" || status === "sol" || status === "pend"),
  "a name that is an object": taken(({ name }) => typeof name === "object" && name !== null && !Array.isArray(name)),
  "a name that is false": taken(({ name }) => name === false),
};

const HTML = "<html><body>Error</body></html>";
const asPage = (seen: { headers: Headers; text: string }) => {
  seen.headers.set("content-type", "text/html");
  seen.text = HTML;
};

const LISTS: Record<string, Mistake> = {
  "list: limits before it filters": (next) => async (request) => {
    const url = new URL(request.url), status = url.searchParams.get("status");
    if (!isList(request) || status === null) return await next(request);
    url.searchParams.delete("status");
    const response = await next(new Request(url, request));
    if (response.status !== 200) return response;
    const pets = (parseExact(await response.text()) as Pet[]).filter((pet) => pet["status"] === status);
    return new Response(asJson(pets), { headers: { "content-type": "application/json" } });
  },
  "list: has one pet too many with limit=20": queries((query) =>
    query.get("limit") === "20" && query.set("limit", "21")
  ),
  "list: has one pet too many with limit=50": queries((query) =>
    query.get("limit") === "50" && query.set("limit", "51")
  ),
  "list: has one pet too few with each odd limit": queries((query) => {
    const limit = Number(query.get("limit"));
    if (limit % 2 === 1 && limit > 2) query.set("limit", String(limit - 1));
  }),
  "list: has 100 by default beside a status": queries((query) =>
    query.has("status") && !query.has("limit") && query.set("limit", "100")
  ),
  "list: has half as many as the limit, from 60": queries((query) => {
    const limit = Number(query.get("limit"));
    if (limit >= 60) query.set("limit", String(limit >> 1));
  }),
  "list: ignores a status that comes after a limit": only(
    ({ url }) => /limit=.*status=/.test(url),
    queries((query) => query.delete("status")),
  ),
  "list: ignores a status of a list of 10": queries((query) => query.get("limit") === "10" && query.delete("status")),
  "list: has no pet with a negative category": lists((pets) =>
    pets.filter(({ categoryId }) => (categoryId as bigint) >= 0n)
  ),
  "list: has no pet whose name is not ASCII": lists((pets) =>
    pets.filter(({ name }) => /^[\x20-\x7e]*$/.test(String(name)))
  ),
  "list: has no pet of a tenth id": lists((pets) => pets.filter(({ id }) => (id as bigint) % 10n !== 0n)),
  "list: has one pet of each category": lists((
    pets,
  ) => [...new Map(pets.map((pet) => [pet["categoryId"], pet])).values()]),
  "list: shows the status of the pet before": lists((pets) =>
    pets.map((pet, i) => ({ ...pet, status: pets[Math.max(0, i - 1)]!["status"] }))
  ),
  "list: exchanges the names of two pets": lists((pets) =>
    pets.length < 4
      ? pets
      : [{ ...pets[0], name: pets[1]!["name"] }, { ...pets[1], name: pets[0]!["name"] }, ...pets.slice(2)]
  ),
  "list: has a pet that is pending among those sold, from 5": (next) => async (request) => {
    const response = await next(request);
    if (!isList(request) || response.status !== 200 || !request.url.includes("status=sold")) return response;
    const pets = parseExact(await response.text()) as Pet[];
    if (pets.length > 5) pets[5] = { ...pets[5], status: "pending" };
    return new Response(asJson(pets), response);
  },
  "get: reads an id up to a comma": paths((id) => id.split(",")[0]!),
  "get: reads an id up to a semicolon": paths((id) => id.split(";")[0]!),
  "get: reads an id up to a point": paths((id) => id.split(".")[0]!),
  "get: reads an id up to a zero byte": paths((id) => id.split("%00")[0]!),
  "get: reads an id up to a quote": paths((id) => id.split(/%27|'/)[0]!),
  "get: drops letters of ids": paths((id) => id.replaceAll(/[a-z]/gi, "") || id),
  "get: reads ids modulo 2^16": paths((id) => /^\d+$/.test(id) ? String(BigInt(id) % 65536n) : id),
  "get: reads ids modulo 2^31": paths((id) => /^\d+$/.test(id) ? String(BigInt(id) % 2n ** 31n) : id),
  "get: reads the last 6 digits": paths((id) => /^\d+$/.test(id) ? String(Number(id.slice(-6))) : id),
  "get: reads ids modulo 2^63": paths((id) => /^\d+$/.test(id) ? String(BigInt(id) % 2n ** 63n) : id),
  "get: answers 500 to negative ids": answers((seen, { url }) => {
    if (seen.status === 404 && /\/pets\/-\d/.test(url)) {
      Object.assign(seen, { status: 500, text: seen.text.replace("404", "500") });
    }
  }),
  "get: answers 400 to id 0": answers((seen, { url }) => {
    if (seen.status === 404 && /\/pets\/0$/.test(url)) {
      Object.assign(seen, { status: 400, text: seen.text.replace("404", "400") });
    }
  }),
  "get: answers 200 and {} to ids beyond 2^53": answers((seen, request) => {
    if (seen.status === 404 && isGet(request) && idIn(request) > 2n ** 53n && idIn(request) < 2n ** 63n - 1n) {
      Object.assign(seen, { status: 200, text: "{}" });
    }
  }),
  "list: sends pages without a key beside a status": answers(
    (seen, { url }) => void (seen.status === 401 && url.includes("status=") && asPage(seen)),
    isList,
  ),
  "any: sends a page to a request with Basic": answers((seen, request) =>
    void (seen.status === 401 && authorization(request).startsWith("Basic") && asPage(seen))
  ),
  "any: has another Error for a wrong key": answers((seen, request) => {
    if (seen.status === 401 && authorization(request).startsWith("Bearer")) seen.text = '{"error":"unauthorized"}';
  }),
  "create: has another Error for what is no JSON": (next) => async (request) => {
    const text = isCreate(request) ? await request.clone().text().catch(() => "") : "{}";
    const response = await next(request);
    if (response.status !== 400 || !/^\{"name":"[^"]*"/.test(text) || text.endsWith("}")) return response;
    return new Response('{"detail":"JSON parse error"}', response);
  },
  "create: sends text for what is no object": (next) => async (request) => {
    const text = isCreate(request) ? await request.clone().text().catch(() => "") : "{}";
    const response = await next(request);
    if (response.status !== 400 || !/^[["\d]/.test(text)) return response;
    return new Response(await response.text(), { status: 400, headers: { "content-type": "text/plain" } });
  },
  "create: has a text as status for a missing category": (next) => async (request) => {
    const text = isCreate(request) ? await request.clone().text().catch(() => "") : "categoryId";
    const response = await next(request);
    if (response.status !== 400 || text.includes("categoryId")) return response;
    return new Response((await response.text()).replace('"status":400', '"status":"400"'), response);
  },
  "get: has no code for a negative id": answers((seen, { url }) => {
    if (seen.status === 404 && /\/pets\/-\d/.test(url)) seen.text = '{"message":"not found","status":404}';
  }),
};

export const NARROW_MISTAKES: Readonly<Record<string, Mistake>> = {
  ...Object.fromEntries(Object.entries(KEYS).map(([what, mistake]) => [`lets in ${what}`, mistake])),
  ...STATE,
  ...VALUES,
  ...Object.fromEntries(Object.entries(BODIES).map(([what, mistake]) => [`create: takes ${what}`, mistake])),
  ...LISTS,
};
