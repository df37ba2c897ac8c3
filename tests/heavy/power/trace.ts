/** Reads what recorder.c has written, and what a workload has added: the steps of all processes in one order. */

import { Buffer } from "node:buffer";
import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** The number that a folder has in place of an inode, since a trace knows folders by their names. */
export const FOLDER = -1;

/** A change of names gives each an inode, or none. */
export type Step =
  | { kind: "names"; text: string; changes: [name: string, inode: number | undefined][] }
  | { kind: "write"; text: string; inode: number; offset: number; bytes: Uint8Array }
  | { kind: "truncate"; text: string; inode: number; size: number }
  | { kind: "sync"; text: string; inode: number }
  | { kind: "sync of a folder"; text: string; folder: string }
  /** The files before it were there, and on the disk. */
  | { kind: "start"; text: string }
  /** What others have seen: of a response or an output. */
  | { kind: "shown"; text: string }
  /** What is expected from now on. */
  | { kind: "note"; text: string };

interface TraceRecord {
  op: string;
  inode: number;
  offset: number;
  name: string;
  target: string;
  data: Buffer;
}

/** SQLite makes it anew after a crash, from the log. */
const REBUILT = /-shm( \(deleted\))?$/;

export function readTrace(path: string): Step[] {
  const reader = new StepReader();
  return [...readRecords(readFileSync(path))].filter(({ name }) => !REBUILT.test(name)).map((each) =>
    reader.read(each)
  );
}

/** Makes the steps of the records of a trace, in their order. */
class StepReader {
  readonly #names = new Map<string, number>();
  /** The numbers of files by those of the system, which gives the number of a removed file to a new one. */
  readonly #inodes = new Map<number, number>();
  #count = 0;

  read({ op, inode: system, offset, name, target, data }: TraceRecord): Step {
    const text = `${op} ${name} ${target}`;
    switch (op) {
      case "show":
        return { kind: "shown", text: data.toString() };
      case "note":
        return { kind: "note", text: data.toString() };
      case "start":
        return { kind: "start", text };
      case "create":
        this.#inodes.set(system, this.#count);
        return this.#setNames(text, [name, this.#count++]);
      case "mkdir":
        return this.#setNames(text, [name, FOLDER]);
      case "unlink":
        return this.#setNames(text, [name, undefined]);
      case "rename":
        return this.#setNames(text, [name, undefined], [target, this.#names.get(name)]);
      case "link":
        return this.#setNames(text, [target, this.#names.get(name)]);
    }
    if (op === "sync" && (name === "." || this.#names.get(name) === FOLDER)) {
      return { kind: "sync of a folder", text, folder: name };
    }
    const inode = this.#inodes.get(system);
    if (inode === undefined) throw new Error(`The recorder has missed the opening of ${name}`);
    if (op === "sync") return { kind: "sync", text, inode };
    if (op === "truncate") return { kind: "truncate", text: `${text} to ${offset}`, inode, size: offset };
    return { kind: "write", text: `${text} ${data.length} bytes at ${offset}`, inode, offset, bytes: data };
  }

  #setNames(text: string, ...changes: [string, number | undefined][]): Step {
    for (const [name, inode] of changes) inode === undefined ? this.#names.delete(name) : this.#names.set(name, inode);
    return { kind: "names", text, changes };
  }
}

function* readRecords(bytes: Buffer): Generator<TraceRecord> {
  for (let at = 0; at < bytes.length;) {
    const start = bytes.indexOf("\n", at) + 1;
    const [op = "", ...numbers] = bytes.toString("latin1", at, start - 1).split(" ");
    const [inode = 0, offset = 0, ...lengths] = numbers.map(Number);
    at = start;
    const [name, target, data] = lengths.map((length) => bytes.subarray(at, at += length));
    at++;
    yield { op, inode, offset, name: name!.toString(), target: target!.toString(), data: data! };
  }
}

function addRecord(trace: string, op: string, name: string, data: Uint8Array = Buffer.alloc(0), inode = 0): void {
  const line = Buffer.from(`${op} ${inode} 0 ${Buffer.byteLength(name)} 0 ${data.length}\n${name}`);
  // In one call, so that it comes between two records of the programs.
  appendFileSync(trace, Buffer.concat([line, data, Buffer.from("\n")]));
}

export function addNote(trace: string, note: unknown): void {
  addRecord(trace, "note", "", Buffer.from(JSON.stringify(note)));
}

/** The files that are there before the recording, which are on the disk. */
export function addFiles(trace: string, folder: string): void {
  for (const [name, bytes] of readFiles(folder)) {
    const { ino } = statSync(join(folder, name));
    addRecord(trace, bytes ? "create" : "mkdir", name, undefined, ino);
    if (bytes) addRecord(trace, "write", name, bytes, ino);
    if (bytes) addRecord(trace, "sync", name, undefined, ino);
    addRecord(trace, "sync", dirname(name));
  }
  addRecord(trace, "start", "");
}

/** Reads the files of a folder by their names, in order. A folder comes before what is in it, and has no bytes. */
export function readFiles(folder: string): Map<string, Uint8Array | undefined> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const named = entries.filter(({ name }) => !REBUILT.test(name)).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(folder.length + 1), entry.isDirectory() ? undefined : readFileSync(path)] as const;
  });
  return new Map(named.toSorted(([a], [b]) => a < b ? -1 : 1));
}
