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

type Change = Extract<Step, { kind: "names" | "write" | "truncate" }>;

/** The files of a folder. */
export class State {
  readonly #names = new Map<string, number>();
  readonly #files = new Map<number, { bytes: Uint8Array; lastStep: number }>();

  copy(): State {
    const copy = new State();
    for (const [name, inode] of this.#names) copy.#names.set(name, inode);
    for (const [inode, file] of this.#files) copy.#files.set(inode, file);
    return copy;
  }

  apply(change: Change, step: number): void {
    if (change.kind === "names") {
      for (const [name, inode] of change.changes) {
        if (inode === undefined) this.#names.delete(name);
        else this.#names.set(name, inode);
      }
      return;
    }
    const before = this.bytesOf(change.inode);
    const end = change.kind === "truncate" ? change.size : Math.max(before.length, change.offset + change.bytes.length);
    const bytes = new Uint8Array(end);
    bytes.set(before.subarray(0, end));
    if (change.kind === "write") bytes.set(change.bytes, change.offset);
    this.#files.set(change.inode, { bytes, lastStep: step });
  }

  /** The names and their inodes, in order. What is in a folder goes with it. */
  get entries(): [name: string, inode: number][] {
    const isFolder = (name: string): boolean =>
      name === "." || (this.#names.get(name) === FOLDER && isFolder(dirname(name)));
    const entries = [...this.#names].filter(([name]) => isFolder(dirname(name)));
    return entries.toSorted(([a], [b]) => a < b ? -1 : 1);
  }

  bytesOf(inode: number): Uint8Array {
    return this.#files.get(inode)?.bytes ?? new Uint8Array();
  }

  /** Equal for equal states of a trace. */
  get key(): string {
    return this.entries.map(([name, inode]) => `${name}:${inode}:${this.#files.get(inode)?.lastStep}`).join();
  }

  /** Makes a folder, which is removed first, with these files. */
  write(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const written = new Map<number, string>();
    for (const [name, inode] of this.entries) {
      const path = join(folder, name), other = written.get(inode);
      if (inode === FOLDER) mkdirSync(path);
      else if (other !== undefined) linkSync(other, path);
      else writeFileSync(path, this.bytesOf(inode), { mode: 0o600 });
      if (inode !== FOLDER) written.set(inode, path);
    }
  }
}

/** A moment of a trace. It moves forward only. */
export class Moment {
  readonly steps: readonly Step[];
  /** The steps before it have been made. */
  end = 0;
  /** What is certainly on the disk. */
  readonly #synced = new State();
  /** The numbers of the steps that may be lost. */
  #pending: number[] = [];

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
    const { true: synced = [], false: pending = [] } = Object.groupBy(
      this.#pending,
      (number) => `${isSynced(this.#change(number))}`,
    );
    this.#pending = pending;
    for (const number of synced) this.#synced.apply(this.#change(number), number);
  }

  #change(number: number): Change {
    return this.steps[number] as Change;
  }

  /**
   * What may be lost: nothing, all, one change of names, the contents of one file, and all from one step on, which is also what a
   * kill before this step leaves.
   */
  *losses(): Generator<Losses> {
    const all = this.#pending;
    yield new Set();
    const byFile = Map.groupBy(all, (number) => inodeOf(this.#change(number)));
    for (const [inode, own] of byFile) {
      if (inode !== FOLDER) yield new Set(own);
      else for (const number of own) yield new Set([number]);
    }
    for (const [i, number] of all.entries()) {
      // Of a row of writes to one file, all are lost or none.
      const isInRow = i > 0 && inodeOf(this.#change(number)) === inodeOf(this.#change(all[i - 1]!));
      if (!isInRow || this.#change(number).kind === "names") yield new Set(all.slice(i));
    }
  }

  /** What is on the disk if these steps are lost. */
  stateWithout(losses: Losses): State {
    const state = this.#synced.copy();
    for (const number of this.#pending) {
      if (!losses.has(number)) state.apply(this.#change(number), number);
    }
    return state;
  }
}

function inodeOf(change: Change): number {
  return change.kind === "names" ? FOLDER : change.inode;
}
