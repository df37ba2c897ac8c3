/** Mistakes about GET by id: a pet is found by another id than its own, or not by its own. */

import { answers, forgets, idIn, isGet, type Mistake, paths, remembers } from "./planting.ts";

/** Mistakes about the id in a path. */
export const ID_MISTAKES: Readonly<Record<string, Mistake>> = {
  "get: answers 200 with null": answers(
    (seen) => void (seen.status === 404 && Object.assign(seen, { status: 200, text: "null" })),
    isGet,
  ),
  "get: reads the digits at the beginning": paths((id) => String(parseInt(id, 10))),
  "get: reads ids modulo 2^64": paths((id) => /^\d+$/.test(id) ? String(BigInt.asUintN(64, BigInt(id))) : id),
  "get: ignores the sign": paths((id) => id.replace("-", "")),
  "get: reads any notation of a number": paths((id) => String(Math.trunc(Number(id)))),
  "get: finds digits anywhere": paths((id) => /\d+/.exec(id)?.[0] ?? id),
  "get: answers the last pet": remembers((pets) => pets.at(-1)),
  "finds no pet with an id that ends with 7": forgets((id, _, request) => isGet(request) && id % 10n === 7n),
  "shows a pet once": (next) => {
    const seen = new Set<string>();
    return async (request) => {
      const response = await next(request);
      if (!isGet(request) || response.status !== 200) return response;
      if (!seen.has(request.url)) return seen.add(request.url), response;
      return await next(new Request(new URL("/v1/pets/9223372036854775807", request.url), request));
    };
  },
  "answers each 30th get with the pet before": (next) => {
    let count = 0;
    return remembers((pets, request) =>
      ++count % 30 === 0 ? pets.find(({ id }) => id === idIn(request) - 1n) : undefined
    )(next);
  },
  "get: reads an id up to a comma": paths((id) => id.split(",")[0]!),
  "get: reads an id up to a semicolon": paths((id) => id.split(";")[0]!),
  "get: reads an id up to a point": paths((id) => id.split(".")[0]!),
  "get: reads an id up to a zero byte": paths((id) => id.split("%00")[0]!),
  "get: reads an id up to a quote": paths((id) => id.split(/%27|'/)[0]!),
  "get: drops letters of ids": paths((id) => id.replaceAll(/[a-z]/gi, "") || id),
  "get: reads ids modulo 2^16": paths((id) => /^\d+$/.test(id) ? String(BigInt(id) % 65536n) : id),
  "get: reads the last 6 digits": paths((id) => /^\d+$/.test(id) ? String(Number(id.slice(-6))) : id),
  "get: reads ids modulo 2^63": paths((id) => /^\d+$/.test(id) ? String(BigInt(id) % 2n ** 63n) : id),
  "get: answers 200 and {} to ids beyond 2^53": answers((seen, request) => {
    if (seen.status === 404 && isGet(request) && idIn(request) > 2n ** 53n && idIn(request) < 2n ** 63n - 1n) {
      Object.assign(seen, { status: 200, text: "{}" });
    }
  }),
};
