/**
 * The parts of the tests, each with the command that runs it. Parts that take longest come first. Types are checked by the gate, not here:
 * that would be done again for each thread that a test starts.
 */

const INSTALL = "deno task install";

/** The tests that a person waits for. They need nothing that `deno task install` does not bring. */
export const EVERYDAY: Record<string, string> = {
  servers: "deno test -A --no-check tests/server",
  stores: "deno test -A --no-check tests/contract tests/project tests/stores",
  library: "deno test -A --no-check --doc docs/http.md docs/library.md docs/stores.md mod.ts lib " +
    "tests/reliability/fuzz/handle_test.ts tests/security tests/sockets tests/unit",
};

/** The tests of the server that run on Node too. */
const ON_NODE = [
  ...["faults/disk", "faults/restore_test.ts", "faults/transfer_test.ts", "nginx"],
  ...["access_log_test.ts", "check_url_test.ts", "commands_test.ts", "failed_start_test.ts", "keys/commands_test.ts"]
    .map((name) => `server/${name}`),
  ...[
    "keys/new_keys_test.ts",
    "keys/process_test.ts",
    "keys/secret_test.ts",
    "log_test.ts",
    "output_test.ts",
    "settings_test.ts",
  ]
    .map((name) => `server/${name}`),
  ...["restore_test.ts", "shutdown_test.ts", "start_test.ts", "transfer", "viewer_test.ts"].map((name) =>
    `server/${name}`
  ),
  ...["smuggling_test.ts", "unreadable_test.ts"].map((name) => `sockets/${name}`),
].map((path) => `tests/${path}`).join(" ");

/** Other runtimes, hosts and databases, other people's tools, and processes that are killed. */
export const INTEGRATION: Record<string, string> = {
  runtimes: "deno test -A --no-check tests/runtimes",
  node: `SERVER_RUNTIME=node deno test -A --no-check ${ON_NODE}`,
  hosts: `cd tests/hosts && ${INSTALL} && deno task ok && deno test -A --no-check --parallel`,
  postgres: "deno test -A --no-check tests/faults/postgres tests/postgres",
  sqlite:
    "deno test -A --no-check tests/faults/restore_test.ts tests/faults/transfer_test.ts tests/faults/workers_test.ts " +
    "tests/faults/clients tests/faults/disk tests/faults/sqlite tests/nginx tests/reliability/crash tests/reliability/drain " +
    "tests/reliability/fuzz tests/reliability/soak",
  edge: `cd tests/edge && ${INSTALL} && deno task ok && deno task test`,
  package: `deno task pack && cd tests/package && ${INSTALL} && deno task ok && deno test -A --no-check --parallel`,
  clients: `cd tests/clients && ${INSTALL} && deno task ok && deno task test`,
  container: "deno test -A --no-check tests/container",
  ha: "deno test -A --no-check tests/reliability/ha",
  kv: "deno test -A --no-check tests/kv",
  telemetry: `cd tests/telemetry && ${INSTALL} && deno task ok && deno test -A --no-check && ` +
    "SERVER_RUNTIME=node deno test -A --no-check traces_test.ts",
  viewer: "deno task --cwd tools/viewer install && deno task --cwd tools/viewer ok && " +
    `cd tests/viewer && ${INSTALL} && deno task ok && deno test -A`,
};
