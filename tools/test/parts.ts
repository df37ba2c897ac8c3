/**
 * The parts of the tests, each with the command that runs it. Parts that take longest come first, and early those that wait more
 * than they work: at the end, they would leave the processors idle. Types are checked by the gate, not here: that would be done
 * again for each thread that a test starts.
 */

const INSTALL = "deno task install";

/** The house: the tests that a person waits for. They need nothing that `deno task install` does not bring. */
export const EVERYDAY: Record<string, string> = {
  servers: "deno test -A --no-check tests/server/*_test.ts tests/server/keys",
  stores: "deno test -A --no-check bench/against tools/test tests/contract tests/project tests/stores",
  library: "deno test -A --no-check --doc docs/library.md docs/stores.md docs/testing.md mod.ts lib " +
    "tools/reliability/fuzz/handle_test.ts tests/security tests/server/transfer tests/sockets tests/unit " +
    // The contract on stores of packages that need no server, so that a new kind of write is not forgotten there.
    "packages/edge/tests/d1/contract_test.ts packages/edge/tests/kv/contract_test.ts",
};

/**
 * The tests of the server that run on Node too: of files, disks, pipes, signals, sockets and output, which each runtime has of its
 * own. What reads arguments, composes texts or works on a store is the same code on each.
 */
const ON_NODE = [
  ...["damage", "faults", "gone", "slow", "start"].map((name) => `heavy/faults/disk/${name}`),
  "heavy/faults/restore",
  "heavy/nginx/upstream",
  "sockets/smuggling",
  "sockets/splitting",
  "sockets/unreadable",
  ...["check_url", "failed_start", "faults", "keys/process", "keys/secret"].map((name) => `server/${name}`),
  ...["log", "output", "shutdown", "start", "viewer"].map((name) => `server/${name}`),
  "server/interrupted",
  "server/transfer/export",
  "server/transfer/import",
].map((name) => `tests/${name}_test.ts`).join(" ");

/** What needs other runtimes, hosts, a proxy, a browser or a full disk, and processes that are killed. */
export const HEAVY: Record<string, string> = {
  sqlite: "deno test -A --no-check tests/heavy/faults/restore_test.ts tests/heavy/faults/transfer_test.ts " +
    "tests/heavy/faults/disk tests/heavy/faults/sqlite tests/heavy/faults/clients tests/heavy/nginx " +
    "tools/reliability/fuzz/{postgres,search,standalone}_test.ts",
  power: "deno test -A --no-check tools/reliability/power",
  package:
    "deno task --cwd tests/heavy/package install && deno task --cwd tests/heavy/package ok && deno task release:rehearse",
  runtimes: "deno test -A --no-check tests/heavy/runtimes",
  edge: `cd tests/heavy/edge && ${INSTALL} && deno task ok && deno task test`,
  node: `SERVER_RUNTIME=node deno test -A --no-check ${ON_NODE}`,
  clients: `cd tests/heavy/clients && ${INSTALL} && deno task ok && deno task test`,
  hosts: `cd tests/heavy/hosts && ${INSTALL} && deno task ok && deno test -A --no-check --parallel`,
  viewer: "deno task --cwd tools/viewer install && deno task --cwd tools/viewer ok && " +
    `cd tests/heavy/viewer && ${INSTALL} && deno task ok && deno test -A`,
  container: "deno test -A --no-check tests/heavy/container",
};

/** The packages beside the house, each with what looks for its defects. */
export const PACKAGES: Record<string, string> = {
  "packages/client": "deno test -A --no-check --doc packages/client",
  "packages/postgres": "deno test -A --no-check packages/postgres tools/reliability/histories/postgres_test.ts",
  "packages/postgres/ha": "deno test -A --no-check tools/reliability/ha",
  "packages/edge": "deno test -A --no-check packages/edge tools/reliability/histories/search_test.ts",
  "packages/conformance":
    "deno test -A --no-check --doc packages/conformance/README.md packages/conformance/tests/*_test.ts && " +
    `cd packages/conformance/tests/heavy && ${INSTALL} && deno task ok && deno test -A --no-check`,
};
