/**
 * What a disk may hold after a kill or a loss of power. At each moment, what was synced is there: the bytes of a file by a sync of the
 * file, the names in a folder by one of the folder. Of the later steps some may be lost. A write is lost as a whole, because what a
 * torn write does to a database is SQLite's promise, and no code of this project writes to a file twice.
 */

import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FOLDER, type Step } from "./trace.ts";

/** The numbers of the steps that are lost. */
export type Losses = ReadonlySet<number>;

export interface State {
  names: ReadonlyMap<string, number>;
  contents(): ReadonlyMap<number, Uint8Array>;
  /** Equal for equal states of a trace. */
  key: string;
}

interface File {
  bytes: Uint8Array;
  /** The last step in it. */
  version: number;
}

type Change = Extract<Step, { kind: "names" | "write" | "truncate" }>;

/** A moment of a trace. It moves forward only. */
export class Moment {
  readonly steps: readonly Step[];
  /** The steps before it have been made. */
  end = 0;
  /** Those that may be lost. */
  #pending: number[] = [];
  readonly #names = new Map<string, number>();
  readonly #files = new Map<number, File>();

  constructor(steps: readonly Step[]) {
    this.steps = steps;
    for (const start = steps.findIndex(({ kind }) => kind === "start"); this.end <= start;) this.#pass(this.end++);
  }

  /**
   * Goes on to the next sync, or to where something was shown, or to the end. Returns the steps that it passes, or none
   * at the end.
   */
  advance(): Step[] {
    const start = this.end;
    for (let isOver = false; this.end < this.steps.length && !isOver;) {
      this.#pass(this.end++);
      const next = this.steps[this.end]?.kind;
      isOver = next === "sync" || next === "sync of a folder" ||
        (this.steps[this.end - 1]!.kind === "shown" && next !== "shown" && next !== "note");
    }
    return this.steps.slice(start, this.end);
  }

  #pass(number: number): void {
    const step = this.steps[number]!;
    if (step.kind === "names" || step.kind === "write" || step.kind === "truncate") this.#pending.push(number);
    else if (step.kind === "sync") this.#settle((change) => inodeOf(change) === step.inode);
    else if (step.kind === "sync of a folder") {
      const isIn = (name: string) => dirname(name) === step.folder;
      this.#settle((change) => change.kind === "names" && change.changes.some(([name]) => isIn(name)));
    }
  }

  #settle(isSynced: (change: Change) => boolean): void {
    const synced = new Set(this.#pending.filter((number) => isSynced(this.#change(number))));
    this.#pending = this.#pending.filter((number) => !synced.has(number));
    for (const number of synced) applyChange(this.#names, this.#files, number, this.#change(number));
  }

  #change(number: number): Change {
    return this.steps[number] as Change;
  }

  /**
   * What may be lost: nothing, all, one change of names, the contents of one file, and all from one step on, which is also what a
   * kill before this step leaves. Of a row of writes to one file, all are lost or none.
   */
  *losses(): Generator<Losses> {
    const all = this.#pending;
    yield new Set();
    yield new Set(all);
    for (const inode of new Set(all.map((number) => inodeOf(this.#change(number))))) {
      const own = all.filter((number) => inodeOf(this.#change(number)) === inode);
      if (inode !== FOLDER) yield new Set(own);
      else for (const number of own) yield new Set([number]);
    }
    for (const [i, number] of all.entries()) {
      const change = this.#change(number), before = all[i - 1];
      const isInRow = before !== undefined && inodeOf(change) === inodeOf(this.#change(before));
      if (!isInRow || change.kind === "names") yield new Set(all.slice(i));
    }
  }

  /** What is on the disk if these steps are lost. */
  stateWithout(losses: Losses): State {
    const names = new Map(this.#names), files = new Map(this.#files);
    for (const number of this.#pending) {
      if (!losses.has(number)) applyChange(names, files, number, this.#change(number));
    }
    // What is in a folder goes with it.
    for (const name of [...names.keys()].toSorted()) {
      const folder = dirname(name);
      if (folder !== "." && names.get(folder) !== FOLDER) names.delete(name);
    }
    const versions = [...names].map(([name, inode]) => `${name}:${inode}:${files.get(inode)?.version}`);
    return {
      names,
      key: versions.toSorted().join(),
      contents: () => new Map([...files].map(([inode, { bytes }]) => [inode, bytes])),
    };
  }
}

function inodeOf(change: Change): number {
  return change.kind === "names" ? FOLDER : change.inode;
}

function applyChange(names: Map<string, number>, files: Map<number, File>, version: number, change: Change): void {
  if (change.kind === "names") {
    for (const [name, inode] of change.changes) inode === undefined ? names.delete(name) : names.set(name, inode);
    return;
  }
  const before = files.get(change.inode)?.bytes ?? new Uint8Array();
  const end = change.kind === "truncate" ? change.size : change.offset + change.bytes.length;
  const after = new Uint8Array(change.kind === "truncate" ? end : Math.max(end, before.length));
  after.set(before.subarray(0, after.length));
  if (change.kind === "write") after.set(change.bytes, change.offset);
  files.set(change.inode, { bytes: after, version });
}

/** Makes a folder, which is removed first, with the files of a state. */
export function writeState({ names, contents }: State, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const written = new Map<number, string>(), bytes = contents();
  for (const [name, inode] of [...names].toSorted(([a], [b]) => a < b ? -1 : 1)) {
    const path = join(folder, name), other = written.get(inode);
    if (inode === FOLDER) mkdirSync(path, { recursive: true });
    else if (other !== undefined) linkSync(other, path);
    else writeFileSync(path, bytes.get(inode) ?? new Uint8Array(), { mode: 0o600 });
    if (inode !== FOLDER) written.set(inode, path);
  }
}
