/**
 * The parts of the tests, each with the command that runs it. Types are checked by the gate, not
 * here: that would be done again for each thread that a test starts. The parts of a table begin in
 * its order, the longest first: at the end they would run alone, and leave the processors idle.
 */

export interface Part {
  command: string;
  /** The folder with a deno.json of its own whose packages are installed before. */
  installs?: string;
}

/** The main package: the tests that a person waits for. They need nothing that `deno task install` does not bring. */
export const EVERYDAY: Record<string, Part> = {
  stores: {
    command: "deno test -A --no-check tests/contract tests/project tests/stores",
  },
  library: {
    command: "deno test -A --no-check --doc docs/library.md docs/stores.md docs/testing.md mod.ts lib " +
      "tools/reliability/fuzz/handle_test.ts tests/security tests/server/transfer_test.ts tests/sockets tests/unit " +
      // The contract on a store of a package that needs no server, so that a new kind of write is not forgotten there.
      "packages/edge/tests/d1_test.ts",
  },
  servers: { command: "deno test -A --no-check tests/server --ignore=tests/server/transfer_test.ts" },
};

/**
 * The tests of the server that run on Node too: of a disk that fails or is slow, pipes, signals,
 * sockets and output, which each runtime has of its own. What reads arguments, composes texts, or
 * works on files and a store by `node:fs` and SQLite is the same on each.
 */
const ON_NODE = [
  "heavy/faults/disk",
  "sockets/smuggling",
  "sockets/unreadable",
  "server/backup",
  "server/commands",
  "server/log",
  "server/output",
  "server/sandbox",
  "server/shutdown",
  "server/start",
  "server/transfer",
].map((name) => `tests/${name}_test.ts`).join(" ");

/** What needs other runtimes, hosts, a proxy, a browser or a full disk, and processes that are killed. */
export const HEAVY: Record<string, Part> = {
  package: {
    installs: "tests/heavy/package",
    command: "deno task --cwd tests/heavy/package ok && deno task release:rehearse",
  },
  runtimes: {
    // It has Node 22.
    installs: "tests/heavy/package",
    command: "deno test -A --no-check tests/heavy/runtimes",
  },
  sqlite: {
    command: "deno test -A --no-check tests/heavy/faults tests/heavy/nginx tools/reliability/fuzz/postgres_test.ts",
  },
  hosts: { command: "deno test -A --no-check tests/heavy/hosts" },
  edge: {
    installs: "tests/heavy/edge",
    command: "cd tests/heavy/edge && deno task ok && deno task test",
  },
  node: { command: `SERVER_RUNTIME=node deno test -A --no-check ${ON_NODE}` },
  viewer: { command: "deno test -A --no-check tests/heavy/viewer" },
  clients: { command: "deno test -A --no-check tests/heavy/clients" },
  power: { command: "deno test -A --no-check tests/heavy/power" },
};

/** The packages beside the main one, each with what looks for its defects. */
export const PACKAGES: Record<string, Part> = {
  "packages/postgres": {
    command: "deno test -A --no-check packages/postgres tools/reliability/histories",
  },
  "packages/conformance": {
    command: "deno test -A --no-check --doc packages/conformance/README.md packages/conformance/tests",
  },
  "packages/client": { command: "deno test -A --no-check --doc packages/client" },
  "packages/edge": { command: "deno test -A --no-check packages/edge" },
};
