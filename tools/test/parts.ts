/**
 * The parts of the tests, each with the command that runs it. Parts that take longest come first, and early those that wait more
 * than they work: at the end, they would leave the processors idle. Types are checked by the gate, not here: that would be done
 * again for each thread that a test starts.
 */

const INSTALL = "deno task install";

/** The tests that a person waits for. They need nothing that `deno task install` does not bring. */
export const EVERYDAY: Record<string, string> = {
  servers: "deno test -A --no-check tests/server/*_test.ts tests/server/keys",
  stores: "deno test -A --no-check bench/against tests/contract tests/project tests/stores",
  library: "deno test -A --no-check --doc docs/library.md docs/stores.md mod.ts lib " +
    "tools/reliability/fuzz/handle_test.ts tests/security tests/server/transfer tests/sockets tests/unit",
};

/**
 * The tests of the server that run on Node too: of files, disks, pipes, signals, sockets and output, which each runtime has of its
 * own. What reads arguments, composes texts or works on a store is the same code on each.
 */
const ON_NODE = [
  ...["damage", "faults", "gone", "slow", "start"].map((name) => `faults/disk/${name}`),
  ...["faults/restore", "nginx/upstream", "sockets/smuggling", "sockets/splitting", "sockets/unreadable"],
  ...["check_url", "failed_start", "faults", "keys/process", "keys/secret"].map((name) => `server/${name}`),
  ...["log", "output", "shutdown", "start", "viewer"].map((name) => `server/${name}`),
  ...["server/transfer/export", "server/transfer/import"],
].map((name) => `tests/${name}_test.ts`).join(" ");

/** Other runtimes, hosts and databases, other people's tools, and processes that are killed. */
export const INTEGRATION: Record<string, string> = {
  client: "deno test -A --no-check --doc packages/client",
  sqlite: "deno test -A --no-check tests/faults/restore_test.ts tests/faults/transfer_test.ts " +
    "tests/faults/disk tests/faults/sqlite tests/nginx " +
    "tools/reliability/fuzz/{postgres,search,standalone}_test.ts",
  power: "deno test -A --no-check tools/reliability/power",
  postgres: "deno test -A --no-check packages/postgres tools/reliability/histories/postgres_test.ts",
  package: "deno task --cwd tests/package install && deno task --cwd tests/package ok && deno task release:rehearse",
  runtimes: "deno test -A --no-check tests/runtimes",
  edge: `cd tests/edge && ${INSTALL} && deno task ok && deno task test`,
  ha: "deno test -A --no-check tools/reliability/ha",
  node: `SERVER_RUNTIME=node deno test -A --no-check ${ON_NODE}`,
  clients: `cd tests/clients && ${INSTALL} && deno task ok && deno task test`,
  conformance: "deno test -A --no-check --doc packages/conformance/README.md packages/conformance/tests/*_test.ts && " +
    `cd packages/conformance/tests/heavy && ${INSTALL} && deno task ok && deno test -A --no-check`,
  hosts: `cd tests/hosts && ${INSTALL} && deno task ok && deno test -A --no-check --parallel`,
  viewer: "deno task --cwd tools/viewer install && deno task --cwd tools/viewer ok && " +
    `cd tests/viewer && ${INSTALL} && deno task ok && deno test -A`,
  kv: "deno test -A --no-check packages/edge tools/reliability/histories/search_test.ts",
  container: "deno test -A --no-check tests/container",
};
