/** Runs programs under recorder.c, and reads its trace: the steps of all processes, in one order. */

import { appendFileSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Buffer } from "node:buffer";
import { command, skipUnless } from "../../support/system/commands.ts";
import { type Change, FOLDER } from "./disk.ts";

/** One step of a run. The text of a step that touches the disk is for messages. */
export type Step =
  | { kind: "change"; text: string; change: Change }
  /** What was changed at this place before is on the disk. */
  | { kind: "sync"; text: string; place: string }
  /** Others have seen this text, in a response or an output. */
  | { kind: "shown"; text: string }
  /** The workload has noted this number. */
  | { kind: "note"; text: string; number: number };

export const RECORDER_SKIP: string | false = skipUnless(["cc"]);

/** A recording of what programs do in a folder, which is empty when it begins. */
export class Recording {
  /** The environment of the programs that are recorded. */
  readonly env: Record<string, string>;
  readonly #trace: string;

  /** @param place Where the recorder is built, and the trace is written. */
  constructor(folder: string, place: string) {
    const library = join(place, "recorder.so"), source = fileURLToPath(new URL("recorder.c", import.meta.url));
    command("cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl");
    this.#trace = join(place, "trace");
    writeFileSync(this.#trace, "");
    this.env = { LD_PRELOAD: library, POWER_FOLDER: realpathSync(folder), POWER_TRACE: this.#trace };
  }

  /** Adds a number between two steps of the programs. */
  note(number: number): void {
    appendFileSync(this.#trace, `note\t${number}\t0\t\t\t\n`);
  }

  /** Reads the steps, after the programs have ended. */
  read(): Step[] {
    const reader = new StepReader();
    const lines = readFileSync(this.#trace, "utf8").trimEnd().split("\n");
    return lines.map((line) => reader.read(line));
  }
}

/** Makes the steps of the lines of a trace, which it reads in their order. */
class StepReader {
  /** What each name stands for at this step. */
  readonly #names = new Map<string, string>([[".", FOLDER]]);
  /** The files by the numbers of the system, which gives the number of a removed file to a new one. */
  readonly #files = new Map<string, string>();
  #count = 0;

  read(line: string): Step {
    const [op, inode = "", offset = "", name = "", target = "", data = ""] = line.split("\t");
    const bytes = Buffer.from(data, "hex"), start = Number(offset);
    const text = `${op} ${name} ${target} ${bytes.length} bytes at ${offset}`;
    switch (op) {
      case "show":
        return { kind: "shown", text: bytes.toString() };
      case "note":
        return { kind: "note", text, number: Number(inode) };
      case "create":
        this.#files.set(inode, `file ${++this.#count}`);
        return this.#setNames(text, { [name]: this.#files.get(inode) });
      case "mkdir":
        return this.#setNames(text, { [name]: FOLDER });
      case "unlink":
        return this.#setNames(text, { [name]: undefined });
      case "rename":
        return this.#setNames(text, { [name]: undefined, [target]: this.#names.get(name) });
      case "link":
        return this.#setNames(text, { [target]: this.#names.get(name) });
    }
    if (op === "sync" && this.#names.get(name) === FOLDER) return { kind: "sync", text, place: `folder ${name}` };
    const file = this.#files.get(inode);
    if (file === undefined) throw new Error(`The recorder has missed the opening of ${name}`);
    if (op === "sync") return { kind: "sync", text, place: file };
    return { kind: "change", text, change: op === "truncate" ? { file, size: start } : { file, start, bytes } };
  }

  #setNames(text: string, names: Record<string, string | undefined>): Step {
    for (const [name, file] of Object.entries(names)) {
      if (file === undefined) this.#names.delete(name);
      else this.#names.set(name, file);
    }
    return { kind: "change", text, change: { names } };
  }
}
