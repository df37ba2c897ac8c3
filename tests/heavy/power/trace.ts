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
  /** What a client or an operator asks for. */
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
  const names = new Map<string, number>(), inodes = new Map<number, number>();
  const steps: Step[] = [];
  let next = 0;
  const setNames = (text: string, ...changes: [string, number | undefined][]) => {
    for (const [name, inode] of changes) inode === undefined ? names.delete(name) : names.set(name, inode);
    steps.push({ kind: "names", text, changes });
  };
  for (const { op, inode: system, offset, name, target, data } of readRecords(readFileSync(path))) {
    if (REBUILT.test(name)) continue;
    // The system gives the number of a removed file to a new one.
    if (op === "create") inodes.set(system, next++);
    const inode = inodes.get(system);
    const text = [op, name, target !== name && target].filter(Boolean).join(" ");
    if (op === "show" || op === "note") steps.push({ kind: op === "show" ? "shown" : "note", text: data.toString() });
    else if (op === "start") steps.push({ kind: "start", text });
    else if (op === "create") setNames(text, [name, inode]);
    else if (op === "mkdir") setNames(text, [name, FOLDER]);
    else if (op === "unlink") setNames(text, [name, undefined]);
    else if (op === "rename") setNames(text, [name, undefined], [target, names.get(name)]);
    else if (op === "link") setNames(text, [target, names.get(name)]);
    else if (op === "sync" && (name === "." || names.get(name) === FOLDER)) {
      steps.push({ kind: "sync of a folder", text, folder: name });
    } else if (inode === undefined) throw new Error(`The recorder has missed the opening of ${name}`);
    else if (op === "sync") steps.push({ kind: "sync", text, inode });
    else if (op === "truncate") steps.push({ kind: "truncate", text: `${text} to ${offset}`, inode, size: offset });
    else steps.push({ kind: "write", text: `${text} ${data.length} bytes at ${offset}`, inode, offset, bytes: data });
  }
  return steps;
}

function* readRecords(bytes: Buffer): Generator<TraceRecord> {
  for (let at = 0; at < bytes.length;) {
    const start = bytes.indexOf("\n", at) + 1;
    const [op = "", ...numbers] = bytes.toString("latin1", at, start - 1).split(" ");
    const [inode = 0, offset = 0, ...lengths] = numbers.map(Number);
    if (lengths.length !== 3 || numbers.some((each) => each === "")) throw new Error(`No record of a trace: ${op}`);
    at = start;
    const [name, target, data] = lengths.map((length) => bytes.subarray(at, at += length));
    at++;
    yield { op, inode, offset, name: name!.toString(), target: target!.toString(), data: data! };
  }
}

function addRecord(trace: string, op: string, name: string, data: Uint8Array, inode = 0): void {
  const line = Buffer.from(`${op} ${inode} 0 ${Buffer.byteLength(name)} 0 ${data.length}\n${name}`);
  // In one call, so that it comes between two records of the programs.
  appendFileSync(trace, Buffer.concat([line, data, Buffer.from("\n")]));
}

export function addNote(trace: string, note: unknown): void {
  addRecord(trace, "note", "", Buffer.from(JSON.stringify(note)));
}

/** The files that are there before the recording, which are on the disk. */
export function addFiles(trace: string, folder: string): void {
  const files = [...readFiles(folder)];
  for (const [name, bytes] of files) {
    const { ino } = statSync(join(folder, name));
    addRecord(trace, bytes ? "create" : "mkdir", name, Buffer.alloc(0), ino);
    if (!bytes) continue;
    addRecord(trace, "write", name, bytes, ino);
    addRecord(trace, "sync", name, Buffer.alloc(0), ino);
  }
  for (const name of new Set([".", ...files.map(([name]) => dirname(name))])) {
    addRecord(trace, "sync", name, Buffer.alloc(0));
  }
  addRecord(trace, "start", "", Buffer.alloc(0));
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
