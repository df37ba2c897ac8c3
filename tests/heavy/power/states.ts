/**
 * What a disk may hold after a loss of power. At each moment, what was synced is there: the bytes of a file by a sync of the file,
 * the names in a folder by one of the folder. Of the later steps any may be lost, and of a write any of its sectors.
 */

import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Random } from "../../support/random.ts";
import { FOLDER, type Step } from "./trace.ts";

/** The size of a sector of a disk, in bytes. A disk writes each as a whole. */
const SECTOR = 512;

/** The steps that are lost, by their numbers, with the lost sectors of a write that is not lost as a whole. */
export type Loss = "all" | ReadonlySet<number>;
export type Losses = ReadonlyMap<number, Loss>;

/** How many choices a moment has. A seed and a number lead to the same choice in each run. */
export const MAX_CHOICES = 10_000;

/** The first choices lose nothing, all, one change of names, and all from one step on. The others are by the seed. */
const MAX_CUTS = 200;

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
type Write = Extract<Step, { kind: "write" }>;

/** A moment of a trace. It moves forward only. */
export class Moment {
  readonly steps: readonly Step[];
  /** The steps before it have been made. */
  end = 0;
  /** Those that may be lost. */
  pending: number[] = [];
  #names = new Map<string, number>();
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
    if (step.kind === "names" || step.kind === "write" || step.kind === "truncate") this.pending.push(number);
    else if (step.kind === "sync") {
      this.#settle((change) => inodeOf(change) === step.inode);
    } else if (step.kind === "sync of a folder") {
      const { folder } = step;
      this.#settle((change) => change.kind === "names" && change.changes.some(([name]) => dirname(name) === folder));
      this.#forget();
    }
  }

  #settle(isSynced: (change: Change) => boolean): void {
    const synced = new Set(this.pending.filter((number) => isSynced(this.#change(number))));
    if (synced.size === 0) return;
    this.pending = this.pending.filter((number) => !synced.has(number));
    applyNames(this.#names, [...synced].map((number) => this.#change(number)));
    for (const [inode, file] of this.#apply([...synced], new Map())) this.#files.set(inode, file);
  }

  /** Drops the steps of files that have no name and get none. */
  #forget(): void {
    const changes = this.pending.map((number) => this.#change(number));
    const named = new Set([
      ...this.#names.values(),
      ...changes.flatMap((change) => change.kind === "names" ? change.changes.map(([, inode]) => inode) : []),
    ]);
    this.pending = this.pending.filter((_, i) => changes[i]!.kind === "names" || named.has(inodeOf(changes[i]!)));
    for (const inode of this.#files.keys()) if (!named.has(inode)) this.#files.delete(inode);
  }

  #change(number: number): Change {
    return this.steps[number] as Change;
  }

  /** The files that these steps change. */
  #apply(numbers: readonly number[], losses: Losses): Map<number, File> {
    const byInode = Map.groupBy(numbers, (number) => inodeOf(this.#change(number)));
    byInode.delete(FOLDER);
    return new Map([...byInode].map(([inode, own]) => {
      const before = this.#files.get(inode)?.bytes ?? new Uint8Array();
      const changes = own.map((number) => [this.#change(number), losses.get(number)] as const);
      return [inode, { bytes: applyBytes(before, changes), version: own.at(-1)! }];
    }));
  }

  /** What is on the disk if these steps are lost. */
  stateWithout(losses: Losses): State {
    const kept = this.pending.filter((number) => losses.get(number) !== "all");
    const names = new Map(this.#names);
    applyNames(names, kept.map((number) => this.#change(number)));
    // What is in a folder goes with it.
    for (const name of [...names.keys()].toSorted()) {
      const folder = dirname(name);
      if (folder !== "." && names.get(folder) !== FOLDER) names.delete(name);
    }
    const used = new Set(names.values());
    const visible = kept.filter((number) =>
      this.#change(number).kind !== "names" && used.has(inodeOf(this.#change(number)))
    );
    const torn = visible.map((number) => {
      const sectors = losses.get(number);
      return typeof sectors === "object" ? `${number}-${[...sectors].join(".")}` : number;
    });
    const versions = [...names].map(([name, inode]) => `${name}:${inode}:${this.#files.get(inode)?.version}`);
    return {
      names,
      key: `${versions.toSorted().join()} ${torn.join()}`,
      contents: () =>
        new Map(
          [...new Map([...this.#files, ...this.#apply(visible, losses)])].map(([inode, { bytes }]) => [inode, bytes]),
        ),
    };
  }

  /** Chooses what is lost. It is undefined if there is no such choice at this moment. */
  losses(choice: number, seed: number): Losses | undefined {
    const all = this.pending;
    if (choice === 0) return new Map();
    if (all.length === 0) return undefined;
    const names = all.filter((number) => this.#change(number).kind === "names");
    if (choice === 1) return lose(all);
    if (choice <= 1 + names.length) return lose(names.slice(choice - 2, choice - 1));
    const cuts = Math.min(all.length, MAX_CUTS), cut = choice - 1 - names.length;
    if (cut < cuts) return lose(all.slice(Math.trunc(cut * all.length / cuts)));
    const random = new Random(seed ^ (this.end * MAX_CHOICES + choice));
    return choice % 2 === 0 ? this.#ordered(random) : this.#weak(random);
  }

  /** Names in order; of each file nothing, all or the first of its writes, the last of which may be torn. */
  #ordered(random: Random): Losses {
    const names = this.pending.filter((number) => this.#change(number).kind === "names");
    const lost: Map<number, Loss> = new Map(lose(names.slice(random.below(names.length + 1))));
    const inodes = new Set(this.pending.map((number) => inodeOf(this.#change(number))));
    for (const inode of inodes) {
      const own = this.pending.filter((number) => inode !== FOLDER && inodeOf(this.#change(number)) === inode);
      const first = random.pick([0, own.length, random.below(own.length + 1)]);
      for (const number of own.slice(first)) lost.set(number, "all");
      if (first > 0 && random.oneIn(2)) this.#tear(lost, own[first - 1]!, random);
    }
    return lost;
  }

  /** Any of the steps, or any but one, or one. */
  #weak(random: Random): Losses {
    const share = random.pick([2, 2, 8, 0]), isLost = random.oneIn(2), one = random.pick(this.pending);
    const isChosen = (number: number) => share === 0 ? number === one : random.oneIn(share);
    const lost: Map<number, Loss> = new Map(lose(this.pending.filter((number) => isChosen(number) === isLost)));
    if (random.oneIn(2)) return lost;
    for (const number of this.pending) if (!lost.has(number) && random.oneIn(4)) this.#tear(lost, number, random);
    return lost;
  }

  #tear(lost: Map<number, Loss>, number: number, random: Random): void {
    const change = this.#change(number);
    if (change.kind !== "write") return;
    const sectors = sectorsOf(change).filter(() => random.oneIn(2));
    if (sectors.length > 0) lost.set(number, new Set(sectors));
  }
}

function lose(numbers: readonly number[]): Losses {
  return new Map(numbers.map((number) => [number, "all"]));
}

function inodeOf(change: Change): number {
  return change.kind === "names" ? FOLDER : change.inode;
}

function applyNames(names: Map<string, number>, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.kind !== "names") continue;
    for (const [name, inode] of change.changes) inode === undefined ? names.delete(name) : names.set(name, inode);
  }
}

/** The sectors of the file that a write touches. */
function sectorsOf({ offset, bytes }: Write): number[] {
  const first = Math.trunc(offset / SECTOR), last = Math.trunc((offset + bytes.length - 1) / SECTOR);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** A loss that a truncation may have is that of the whole. */
function applyBytes(before: Uint8Array, changes: readonly (readonly [Change, Loss | undefined])[]): Uint8Array {
  const ends = changes.map(([change]) => change.kind === "write" ? change.offset + change.bytes.length : 0);
  const after = new Uint8Array(
    changes.reduce(
      (most, [change], i) => Math.max(most, change.kind === "truncate" ? change.size : ends[i]!),
      before.length,
    ),
  );
  after.set(before);
  let size = before.length;
  for (const [i, [change, loss]] of changes.entries()) {
    if (change.kind === "truncate") {
      if (change.size < size) after.fill(0, change.size, size);
      size = change.size;
    } else if (change.kind === "write") {
      size = Math.max(size, ends[i]!);
      if (loss === undefined) after.set(change.bytes, change.offset);
      else {for (const [start, end] of keptParts(change, loss)) {
          after.set(change.bytes.subarray(start - change.offset, end - change.offset), start);
        }}
    }
  }
  return after.subarray(0, size);
}

function keptParts(write: Write, loss: Loss): [start: number, end: number][] {
  const kept = sectorsOf(write).filter((sector) => loss !== "all" && !loss.has(sector));
  const { offset, bytes } = write;
  return kept.map((
    sector,
  ) => [Math.max(offset, sector * SECTOR), Math.min(offset + bytes.length, (sector + 1) * SECTOR)]);
}

/** Makes a folder with the files of a state. */
export function writeState({ names, contents }: State, folder: string): void {
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
