/**
 * The standalone server in a process of its own, with the permissions of the `serve` task. The
 * tests run on Deno only.
 */

import { join } from "node:path";
import type { Endpoint } from "../http/raw_socket.ts";
import { assertError, type SeenResponse } from "../openapi_validator.ts";
import { Child } from "../system/child.ts";
import { withTempFolder } from "../temp.ts";
import { environment, serverCommand } from "./serve_task.ts";

export interface ServerParts {
  args?: readonly string[];
  env?: Record<string, string>;
  /** A limit of the system, as an option of `ulimit`: `-n 64` permits 64 open files and connections. */
  limit?: string;
  /** Whether it runs on Node. By default, `SERVER_RUNTIME` says so. */
  onNode?: boolean;
}

export interface ServerExit {
  status: number;
  stdout: string;
  stderr: string;
}

export const PET = '{"name":"Rex","categoryId":7}';

/** The greeting, as text or as JSON. */
export const STARTED = /^( {2}try |\{.*"listens").*\n/m;

/** A process of the program, usually a server: what only a server has is there when it listens. */
export class ServerProcess extends Child implements Endpoint {
  constructor(folder: string, { args = [], env = {}, limit, onNode }: ServerParts) {
    const line = [...serverCommand(onNode), ...args];
    // Only a shell can set the limit; exec passes its process, and so its signals, to the server.
    const limited = limit === undefined ? line : ["sh", "-c", `ulimit ${limit}; exec "$0" "$@"`, ...line];
    const options = { cwd: folder, clearEnv: true, env: { ...environment(), ...env } };
    super(limited[0] ?? "", limited.slice(1), options);
  }

  /** Starts a server in a folder and waits until it listens. */
  static async start(folder: string, parts: ServerParts = {}): Promise<ServerProcess> {
    const server = new ServerProcess(folder, withPort(parts));
    try {
      await server.printed(STARTED);
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  get origin(): string {
    return originOf(this.written.stdout);
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  /** Sends a request with this key, or with none. Throws if a failure has not the format of all errors. */
  readonly ask = (path: string, key: string | null, init: RequestInit = {}): Promise<SeenResponse> =>
    request(this.origin + path, key, init);
}

/** The address in the greeting of a server, as text or as JSON. */
export function originOf(greeting: string): string {
  return /(?: listens on |"address":")(http:.*?:\d+)(?:\/v1$|")/m.exec(greeting)?.[1] ?? "";
}

export async function withServer<T>(
  folder: string,
  parts: ServerParts,
  use: (server: ServerProcess) => T | Promise<T>,
): Promise<T> {
  await using server = await ServerProcess.start(folder, parts);
  return await use(server);
}

export function withFreshServer<T>(
  parts: ServerParts,
  use: (server: ServerProcess, folder: string) => T | Promise<T>,
): Promise<T> {
  return withTempFolder((folder) => withServer(folder, parts, (server) => use(server, folder)));
}

/** Runs a command of the program to its end. */
export async function runCommand(
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ServerExit> {
  return await new ServerProcess(folder, { args, env }).run();
}

/** With a free port, unless one is given. */
export function withPort(parts: ServerParts): ServerParts {
  const { args = [], env = {} } = parts;
  const isGiven = "PORT" in env || args.some((arg) => arg.startsWith("--port"));
  return isGiven ? parts : { ...parts, args: ["--port=0", ...args] };
}

export function readKey(folder: string): string {
  return Deno.readTextFileSync(join(folder, "data", "api-key")).trim();
}

/** The server at a port of this machine. */
export function serverAt(port: number): Pick<ServerProcess, "ask"> {
  return { ask: (path, key, init = {}) => request(`http://127.0.0.1:${port}${path}`, key, init) };
}

export async function addPet({ ask }: Pick<ServerProcess, "ask">, key: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const { status, text } = await ask("/v1/pets", key, { method: "POST", headers, body: PET });
  if (status !== 201) throw new Error(`Adding a pet was answered with ${status}: ${text}`);
}

/** All pets, page by page; each page comes from the next server in turn. */
export async function walk(key: string, ...servers: Pick<ServerProcess, "ask">[]): Promise<WalkedPet[]> {
  const pets: WalkedPet[] = [];
  let path: string | undefined = "/v1/pets?limit=100";
  for (let page = 0; path !== undefined; page++) {
    const { status, headers, text }: SeenResponse = await servers[page % servers.length]!.ask(path, key);
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text}`);
    pets.push(...JSON.parse(text));
    path = /<(.*)>/.exec(headers.get("link") ?? "")?.[1];
  }
  return pets;
}

interface WalkedPet {
  id: number;
  name: string;
}

export async function countPets(server: Pick<ServerProcess, "ask">, key: string): Promise<number> {
  return (await walk(key, server)).length;
}

/** The only place that reads the response to a `fetch`: the whole body, so that the connection is free again. */
export async function request(url: string, key: string | null, init: RequestInit): Promise<SeenResponse> {
  const headers = new Headers(init.headers);
  if (key !== null) headers.set("authorization", `Bearer ${key}`);
  const response = await fetch(url, { ...init, headers });
  const seen = { status: response.status, headers: response.headers, text: await response.text() };
  assertError(seen, url);
  return seen;
}
