/** What is mutated, part by part, with the tests that must notice it and the scores that must be reached, in percent. */

import { access } from "./equivalent/access.ts";
import { client } from "./equivalent/client.ts";
import { domain } from "./equivalent/domain.ts";
import type { Equivalents } from "./equivalent/equivalents.ts";
import { http } from "./equivalent/http.ts";
import { memory } from "./equivalent/memory.ts";
import { operations } from "./equivalent/operations.ts";
import { petstore } from "./equivalent/petstore.ts";

export type Level = "published" | "all";

export interface Part {
  mutate: readonly string[];
  /** The everyday tests that run beside the published cases. */
  tests: readonly string[];
  /** Without one for the published cases, these do not reach it. */
  floors: { published?: number | undefined; all: number };
  equivalent: Equivalents;
}

/** The published cases. */
export const PUBLISHED: string = "tests/mutation/published.ts";
const everyday = (names: string) => names.split(" ").map((name) => `tests/${name}_test.ts`);

/** Of a part that was not yet measured as a whole. */
const UNMEASURED = { published: 0, all: 0 };

export const PARTS: Record<string, Part> = {
  domain: {
    mutate: ["lib/pet.ts", "lib/json.ts"],
    tests: everyday("unit/json unit/pet contract/http security/linear_work"),
    floors: { published: 85, all: 95 },
    equivalent: domain,
  },
  memory: {
    mutate: ["lib/stores/memory/*.ts"],
    tests: everyday("stores/memory contract/http unit/response_cache unit/key_manager security/injection"),
    floors: { published: 85, all: 95 },
    equivalent: memory,
  },
  http: {
    mutate: ["lib/http/*.ts"],
    tests: everyday(
      "unit/body unit/body_stream unit/conditional unit/deadlines unit/response_cache unit/routing unit/options unit/observer " +
        "security/cors security/failing_callbacks security/pollution security/linear_work contract/http unit/node_listener",
    ),
    floors: UNMEASURED,
    equivalent: http,
  },
  access: {
    mutate: ["lib/access/*.ts", "lib/hash.ts"],
    tests: everyday(
      "unit/keys unit/key_format unit/key_ring unit/key_cache unit/key_cache_times unit/key_manager unit/rate_limit " +
        "unit/client_address unit/options unit/routing security/failing_callbacks security/cors contract/http",
    ),
    floors: { published: 69, all: 95 },
    equivalent: access,
  },
  operations: {
    mutate: ["lib/operations/*.ts"],
    tests: everyday(
      "unit/cursor unit/description unit/routing unit/options unit/response_cache contract/http security/linear_work",
    ),
    floors: UNMEASURED,
    equivalent: operations,
  },
  petstore: {
    mutate: ["lib/petstore/*.ts"],
    tests: everyday(
      "unit/options unit/observer unit/routing unit/description unit/response_cache unit/rate_limit unit/key_manager " +
        "unit/client_address security/cors security/failing_callbacks security/pollution contract/http",
    ),
    // Half of it checks the options, which no published case can give.
    floors: { published: 45, all: 95 },
    equivalent: petstore,
  },
  client: {
    mutate: ["lib/client/*.ts"],
    // In virtual time first: what waits in vain fails there at once.
    tests: everyday(
      "unit/client_retry unit/client unit/client_hostile unit/client_link unit/client_response unit/client_network",
    ),
    floors: { all: 95 },
    equivalent: client,
  },
};
