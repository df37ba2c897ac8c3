/** The standalone server as its users start it: a process of its own, with the permissions of the `serve` task. Deno only. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SeenResponse } from "./openapi_validator.ts";
import type { Endpoint } from "./raw_socket.ts";
import { validateServerAnswer } from "./server_description.ts";
import { environment, taskFlags } from "./serve_task.ts";

/** What a process is started with, beyond the flags of the task. */
export interface ServerParts {
  args?: string[];
  env?: Record<string, string>;
  /** How many files and connections it may have open at once; what the system allows unless given. */
  openFiles?: number;
}

/** A process that ended by itself. */
export interface ServerExit {
  status: number;
  stdout: string;
  stderr: string;
}

/** A server that listens. */
export interface ServerProcess extends Endpoint {
  pid: number;
  /** Such as `http://127.0.0.1:8000`. */
  origin: string;
  /** Sends a request with this key, or with none; throws if the answer is not described. */
  ask(path: string, key: string | null, init?: RequestInit): Promise<SeenResponse>;
  /** What it has written so far. */
  written: { stdout: string; stderr: string };
  /** Resolves when standard output holds what is looked for. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal and resolves with the exit status; a process that a signal killed has 128 and its number. */
  stop(signal?: Deno.Signal): Promise<number>;
}

/** Longer than any start or drain takes; what is waited for beyond it will not come. */
const GUARD = 20_000;

/** A pet as a request body. */
export const PET = '{"name":"Rex","categoryId":7}';

/** The last line of what is printed at the start. */
const STARTED = /^ {2}try .*$/m;

/** Starts a server in a folder, and makes sure that it is gone when `use` is done. A free port unless one is asked for. */
export async function withServer<T>(
  folder: string,
  { args = [], env = {}, ...limits }: ServerParts,
  use: (server: ServerProcess) => T | Promise<T>,
): Promise<T> {
  const isPortGiven = "PORT" in env || args.some((arg) => arg.startsWith("--port"));
  const child = command(folder, { args: isPortGiven ? args : ["--port=0", ...args], env, ...limits }).spawn();
  const written = { stdout: "", stderr: "" };
  const readers = new Set<() => void>();
  const ends = [
    follow(child.stdout, (text) => written.stdout += text),
    follow(child.stderr, (text) => written.stderr += text),
  ];
  const ended = Promise.all(ends).then(() => child.status);

  async function follow(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      add(text);
      for (const look of readers) look();
    }
  }

  function printed(pattern: RegExp): Promise<RegExpExecArray> {
    return guarded(
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(written.stdout);
          if (found) resolve(found);
        };
        readers.add(look);
        look();
        ended.then(() => reject(new Error(`The server ended without printing ${pattern}: ${written.stderr}`)));
      }),
      `wait for ${pattern}`,
    );
  }

  async function stop(signal: Deno.Signal = "SIGTERM"): Promise<number> {
    child.kill(signal);
    return (await guarded(ended, `wait for the end after ${signal}`)).code;
  }

  try {
    await printed(STARTED);
    const [, origin = "", port = ""] = await printed(/ listens on (http:.*:(\d+))\/v1$/m);
    const ask = (path: string, key: string | null, init: RequestInit = {}) => request(origin + path, key, init);
    const { pid } = child;
    return await use({ pid, port: Number(port), validate: validateServerAnswer, origin, ask, written, printed, stop });
  } finally {
    try {
      child.kill("SIGKILL");
    } catch {
      // It is gone already, as a test should leave it.
    }
    await ended;
  }
}

/** Runs the server where it is to end by itself. */
export async function runServer(folder: string, parts: ServerParts): Promise<ServerExit> {
  const child = command(folder, parts).spawn();
  const guard = setTimeout(() => child.kill("SIGKILL"), GUARD);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(guard);
  const decoder = new TextDecoder();
  return { status: code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The key that the first start has made. */
export function readKey(folder: string): string {
  return Deno.readTextFileSync(join(folder, "data", "api-key")).trim();
}

/** Adds a pet, all of which are alike. */
export async function addPet({ ask }: ServerProcess, key: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const { status, text } = await ask("/v1/pets", key, { method: "POST", headers, body: PET });
  if (status !== 201) throw new Error(`Adding a pet was answered with ${status}: ${text}`);
}

/** Counts the pets by walking through the pages of the list. */
export async function countPets({ ask }: ServerProcess, key: string): Promise<number> {
  let count = 0;
  for (let path: string | undefined = "/v1/pets?limit=100"; path !== undefined;) {
    const { headers, text }: SeenResponse = await ask(path, key);
    count += JSON.parse(text).length;
    path = /<(.*)>/.exec(headers.get("link") ?? "")?.[1];
  }
  return count;
}

/** The one place where the answer to a `fetch` is read, its body too, so that the connection is free again. */
async function request(url: string, key: string | null, init: RequestInit): Promise<SeenResponse> {
  const headers = new Headers(init.headers);
  if (key !== null) headers.set("authorization", `Bearer ${key}`);
  const response = await fetch(url, { ...init, headers });
  const seen = { status: response.status, headers: response.headers, text: await response.text() };
  validateServerAnswer(init.method ?? "GET", new URL(url).pathname, seen);
  return seen;
}

function command(folder: string, { args = [], env = {}, openFiles }: ServerParts): Deno.Command {
  const script = fileURLToPath(new URL("../../server.ts", import.meta.url));
  const line = [Deno.execPath(), "run", ...taskFlags(), script, ...args];
  // Only a shell can set the limit; exec makes the server take the shell's place, and with it the signals.
  const limited = openFiles === undefined ? line : ["sh", "-c", `ulimit -n ${openFiles}; exec "$0" "$@"`, ...line];
  return new Deno.Command(limited[0] ?? "", {
    args: limited.slice(1),
    cwd: folder,
    clearEnv: true,
    env: { ...environment(), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

async function guarded<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Gave up: ${what}`)), GUARD);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
