/** What is mutated, part by part, with the tests that must notice it and the scores that must be reached, in percent. */

import { access } from "./equivalent/access.ts";
import { client } from "./equivalent/client.ts";
import { descriptions } from "./equivalent/descriptions.ts";
import { domain } from "./equivalent/domain.ts";
import type { Equivalents } from "./equivalent/equivalents.ts";
import { http } from "./equivalent/http.ts";
import { memory } from "./equivalent/memory.ts";
import { operations } from "./equivalent/operations.ts";
import { sqlite } from "./equivalent/sqlite.ts";
import { transfer } from "./equivalent/transfer.ts";
import { type SqlChange, SQLITE_CHANGES } from "./sql_changes.ts";

export const LEVELS = ["published", "all"] as const;

export type Level = typeof LEVELS[number];

export interface Part {
  /** Files, or lines of them (`file:1-9`). */
  mutate: readonly string[];
  /** The cases of the contracts. Default: both contracts, on the memory store. */
  published?: string;
  /** The everyday tests that run beside those cases. */
  tests: readonly string[];
  /** A regular expression for the names of tests that are left out. Default: those on other stores. */
  without?: string;
  /** Changes of SQL, within the texts that Stryker replaces as a whole. */
  sql?: readonly SqlChange[];
  /** Without one for the contract cases, these do not reach it. */
  floors: { published?: number | undefined; all: number };
  equivalent: Equivalents;
}

const everyday = (names: string) => names.split(" ").map((name) => `tests/${name}_test.ts`);

const PUBLISHED_ON_SQLITE = "tools/mutation/published_sqlite.ts";

/** The definitions of operations. */
const OPERATIONS = ["create_pet", "get_pet", "list_pets", "list_store_orders"];
const inOperations = (name: string) => `lib/operations/${name}.ts`;

/** How many lines an operation has before its description, which no response shows. */
function lengthOfHandler(name: string): number {
  const [handler = ""] = Deno.readTextFileSync(new URL(`../../${inOperations(name)}`, import.meta.url)).split(
    "\nexport const describe",
  );
  return handler.split("\n").length;
}

function handlerOf(name: string): string {
  return `${inOperations(name)}:1-${lengthOfHandler(name)}`;
}

function descriptionOf(name: string): string {
  return `${inOperations(name)}:${lengthOfHandler(name) + 1}-1000`;
}

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
      "unit/body unit/conditional unit/deadlines unit/response_cache unit/routing unit/options " +
        "unit/pipeline unit/rate_limit unit/node_listener security/cors security/failing_callbacks security/pollution " +
        "security/linear_work contract/http",
    ),
    floors: { published: 85, all: 95 },
    equivalent: http,
  },
  access: {
    mutate: ["lib/access/*.ts", "lib/hash.ts"],
    tests: everyday(
      "unit/keys unit/key_format unit/key_ring unit/key_cache unit/key_manager unit/key_reads " +
        "unit/wrong_keys unit/rate_limit unit/client_address unit/options unit/routing security/failing_callbacks security/cors contract/http",
    ),
    floors: { published: 85, all: 95 },
    equivalent: access,
  },
  operations: {
    mutate: [...OPERATIONS.map(handlerOf), ..."definition idempotency paging table".split(" ").map(inOperations)],
    tests: everyday(
      "unit/cursor unit/options unit/routing unit/response_cache contract/http security/linear_work " +
        "security/failing_callbacks security/pollution stores/sqlite/upgrade",
    ),
    without: "PostgreSQL|every error example of the description",
    floors: { published: 85, all: 95 },
    equivalent: operations,
  },
  descriptions: {
    mutate: [...OPERATIONS.map(descriptionOf), ..."api failure_groups headers schemas".split(" ").map(inOperations)],
    tests: everyday("unit/description unit/described_values unit/options contract/http"),
    floors: { all: 95 },
    equivalent: descriptions,
  },
  petstore: {
    mutate: ["lib/petstore/*.ts"],
    tests: everyday(
      "unit/options unit/wrong_keys unit/routing unit/description unit/response_cache unit/rate_limit unit/key_manager " +
        "unit/client_address security/cors security/failing_callbacks security/pollution contract/http",
    ),
    // Much of it checks the options, of which the contract cases give few that are wrong.
    floors: { published: 55, all: 95 },
    equivalent: {},
  },
  sqlite: {
    mutate: "pet_sql sql_keys sqlite/insert sqlite/keys sqlite/statements sqlite/store"
      .split(" ").map((name) => `lib/stores/${name}.ts`),
    published: PUBLISHED_ON_SQLITE,
    tests: everyday(
      "stores/sqlite/store stores/sqlite/commit stores/sqlite/idempotency stores/sqlite/plan stores/sqlite/changes " +
        "stores/sqlite/transfer stores/sqlite/open stores/sqlite/file stores/sqlite/upgrade stores/sqlite/keys " +
        "stores/sqlite/schema",
    ),
    without: "PostgreSQL",
    sql: SQLITE_CHANGES,
    floors: { published: 65, all: 95 },
    equivalent: sqlite,
  },
  transfer: {
    mutate: ["lib/stores/sqlite/exporter.ts", "lib/stores/sqlite/importer.ts"],
    tests: everyday("stores/sqlite/transfer"),
    without: "PostgreSQL",
    floors: { all: 95 },
    equivalent: transfer,
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
