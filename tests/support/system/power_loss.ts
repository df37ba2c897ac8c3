/**
 * What a folder may hold after a kill or a loss of power, from the system calls of a program that worked in it. A kill keeps all
 * that was done. A loss of power may undo any change of names since the last sync of the folder, and the writes since that of a file.
 */

import assert from "node:assert/strict";
import { linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Child, type ChildOptions } from "./child.ts";
import { command, skipUnless } from "./commands.ts";

export const TRACE_SKIP: string | false = skipUnless(["strace"], "the right to trace a process", () => {
  command("strace", "-qq", "-o", "/dev/null", "true");
});

const CALLS = "openat,unlink,rename,link,linkat,write,pwrite64,ftruncate,fsync,fdatasync,copy_file_range,sendfile";

type Content = Uint8Array<ArrayBuffer>;

/** A change of names gives each its inode, or none. A sync without an inode is that of the folder. */
type Step =
  | { kind: "names"; text: string; changes: [name: string, inode: number | undefined][] }
  | { kind: "write"; text: string; inode: number; change: (before: Content) => Content }
  | { kind: "sync"; text: string; inode: number | undefined };

/** A call of the trace. Strings and paths are in hexadecimal, so no argument has a comma. */
interface Call {
  name: string;
  args: string[];
  result: number;
}

export interface State {
  /** The last call, and those that a loss of power has undone. */
  after: string;
  files: Map<string, Content>;
  /** Makes the folder. */
  write(folder: string): void;
}

export class Recording {
  readonly #folder: string;
  readonly #before: ReadonlyMap<string, number>;
  readonly #contents: readonly Content[];
  readonly #steps: Step[] = [];

  /** Runs a program in a folder that has only files, and fails unless the trace leads to what it has left. */
  static async of(folder: string, args: readonly string[], options: ChildOptions): Promise<Recording> {
    const trace = `${folder}.trace`;
    const recording = new Recording(folder);
    const strace = ["-f", "-qq", "-y", "-xx", "-s", "10000000", "-e", `trace=${CALLS}`, "-o", trace];
    await using child = new Child("strace", [...strace, ...args], { ...options, cwd: folder });
    assert.equal(await child.exit(), 0, child.written.stderr);
    for (const call of readCalls(readFileSync(trace, "latin1"))) recording.#add(call);
    assert.deepEqual(recording.#stateAt(recording.#steps.length).files, readFiles(folder));
    return recording;
  }

  private constructor(folder: string) {
    this.#folder = realpathSync(folder);
    const files = [...readFiles(folder)];
    this.#before = new Map(files.map(([name], inode) => [name, inode]));
    this.#contents = files.map(([, content]) => content);
  }

  /** Each state once, in the order of the calls. The last one is what a loss of power leaves after the end. */
  *states(): Iterable<State> {
    const seen = new Set<string>();
    for (let end = 0; end <= this.#steps.length; end++) {
      // Of a row of writes to one file, those before the first, the second and the last.
      if ([-2, -1, 0].every((by) => this.#isSameWrite(end + by, end))) continue;
      const pending = this.#steps.slice(0, end).flatMap((_, i) => this.#isPending(i, end) ? [i] : []);
      const names = pending.filter((i) => this.#steps[i]!.kind === "names");
      const writes = pending.filter((i) => this.#steps[i]!.kind === "write");
      for (let subset = 0; subset < 2 ** names.length; subset++) {
        const lostNames = names.filter((_, bit) => (subset & 2 ** bit) !== 0);
        for (const lost of [lostNames, [...lostNames, ...writes]]) {
          const { key, ...state } = this.#stateAt(end, new Set(lost));
          if (!seen.has(key)) yield state;
          seen.add(key);
        }
      }
    }
  }

  #isSameWrite(i: number, j: number): boolean {
    const one = this.#steps[i], other = this.#steps[j];
    return one?.kind === "write" && other?.kind === "write" && one.inode === other.inode;
  }

  /** Whether a loss of power before call `end` may undo call `i`. */
  #isPending(i: number, end: number): boolean {
    const step = this.#steps[i]!;
    if (step.kind === "sync") return false;
    const inode = step.kind === "write" ? step.inode : undefined;
    return !this.#steps.slice(i, end).some((later) => later.kind === "sync" && later.inode === inode);
  }

  #stateAt(end: number, lost: ReadonlySet<number> = new Set()): State & { key: string; names: Map<string, number> } {
    const names = new Map(this.#before), contents: Content[] = [...this.#contents], applied: string[] = [];
    for (const [i, step] of this.#steps.slice(0, end).entries()) {
      if (lost.has(i)) continue;
      if (step.kind === "write") {
        contents[step.inode] = step.change(contents[step.inode] ?? new Uint8Array());
        applied[step.inode] += ` ${i}`;
      } else if (step.kind === "names") {
        for (const [name, inode] of step.changes) inode === undefined ? names.delete(name) : names.set(name, inode);
      }
    }
    const files = new Map([...names].toSorted().map(([name, inode]) => [name, contents[inode] ?? new Uint8Array()]));
    const undone = [...lost].map((i) => this.#steps[i]!.text).join(", ");
    return {
      after: `${this.#steps[end - 1]?.text ?? "no call"}${undone && `, without ${undone}`}`,
      ...{ names, files, key: JSON.stringify([...names].toSorted().map((entry) => [...entry, applied[entry[1]]])) },
      write(folder) {
        mkdirSync(folder);
        for (const [name, content] of files) {
          const other = [...files.keys()].find((each) => names.get(each) === names.get(name))!;
          if (other === name) writeFileSync(join(folder, name), content);
          else linkSync(join(folder, other), join(folder, name));
        }
      },
    };
  }

  #add({ name: call, args, result }: Call): void {
    const { names, files } = this.#stateAt(this.#steps.length);
    const paths = args.map(pathIn);
    // A file that has lost its name is nothing to a later start.
    const inside = paths.map((path) =>
      path !== undefined && dirname(path) === this.#folder ? basename(path) : undefined
    );
    const [name = "", target = name] = inside.filter((each) =>
      each !== undefined && (call === "openat" || each !== "")
    );
    const text = `${call} ${[...new Set([name, target])].join(" ")}`;
    if (/sync$/.test(call) && paths[0] === this.#folder) this.#steps.push({ kind: "sync", text, inode: undefined });
    if (name === "") return;
    const inode = names.get(name) ?? this.#contents.length + this.#steps.length;
    const write = (bytes: Content, at: number) => {
      const to = names.get(target)!;
      this.#steps.push({
        kind: "write",
        text: `${text} at ${at}`,
        inode: to,
        change: (old) => overwrite(old, bytes, at),
      });
    };
    const rename = (...changes: [string, number | undefined][]) => this.#steps.push({ kind: "names", text, changes });
    if (/sync$/.test(call)) this.#steps.push({ kind: "sync", text, inode });
    if (call === "openat" && args[2]?.includes("O_CREAT") && !names.has(name)) rename([name, inode]);
    if (call === "unlink") rename([name, undefined]);
    if (call === "rename") rename([name, undefined], [target, inode]);
    if (call.startsWith("link")) rename([target, inode]);
    if (call === "pwrite64") write(decode(args[1]!), Number(args[3]));
    // The programs of the tests append with these, so there is no position to follow.
    if (call === "write") write(decode(args[1]!), files.get(name)!.length);
    if (call === "copy_file_range" || call === "sendfile") {
      const [source = "", to = ""] = call === "sendfile" ? [target, name] : [name, target];
      assert.equal(files.get(to)!.length, 0, text);
      this.#steps.push({
        ...{ kind: "write", text, inode: names.get(to)! },
        change: (old) => overwrite(old, files.get(source)!.slice(0, result), 0),
      });
    }
    if (call === "ftruncate") {
      const size = Number(args[1]);
      this.#steps.push({
        ...{ kind: "write", text, inode },
        change: (old) => overwrite(new Uint8Array(size), old.slice(0, size), 0),
      });
    }
  }
}

/** The calls that have succeeded. Another thread may write between the two halves of a line. */
function readCalls(trace: string): Call[] {
  const unfinished = new Map<string, string>();
  return trace.split("\n").flatMap((line) => {
    const [, thread = "", resumed, rest = ""] = /^(\d+) +(<\.\.\. \w+ resumed>)?(.*)$/.exec(line) ?? [];
    const whole = (resumed ? unfinished.get(thread) ?? "" : "") + rest;
    unfinished.set(thread, whole.replace(/ <unfinished \.\.\.>$/, ""));
    const [, name = "", args = "", result] = /^(\w+)\((.*)\) += (\d+)/.exec(whole) ?? [];
    return result === undefined || (name === "copy_file_range" && result === "0")
      ? []
      : [{ name, args: args.split(/, /), result: Number(result) }];
  });
}

/** The path in an argument: a string, or that of a descriptor unless the file has been removed. */
function pathIn(arg: string): string | undefined {
  const [, text = ""] = /^(?:"([^"]*)"$)/.exec(arg) ?? /^\d+<([^>]*)>$/.exec(arg) ?? [];
  return text.length === 0 || text.length > 4 * 4096 ? undefined : new TextDecoder().decode(decode(text));
}

function decode(text: string): Content {
  return Uint8Array.from(text.match(/[\da-f]{2}/g) ?? [], (digits) => Number.parseInt(digits, 16));
}

function overwrite(before: Content, bytes: Content, at: number): Content {
  const after = new Uint8Array(Math.max(before.length, at + bytes.length));
  after.set(before);
  after.set(bytes, at);
  return after;
}

function readFiles(folder: string): Map<string, Content> {
  return new Map(
    readdirSync(folder).toSorted().map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]),
  );
}
