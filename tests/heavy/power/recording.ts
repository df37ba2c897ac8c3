/** Runs programs under recorder.c, which it builds. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command, skipUnless } from "../../support/system/commands.ts";
import { Moment, type State } from "./states.ts";
import { addFiles, FOLDER, readFiles, readTrace, type Step } from "./trace.ts";

export const RECORDER_SKIP: string | false = skipUnless(["cc"], "Linux", () => command("cc", "--version"));

/** @returns The path of the library. */
export function buildRecorder(folder: string): string {
  const library = join(folder, "recorder.so"), source = fileURLToPath(new URL("recorder.c", import.meta.url));
  command("cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl");
  return library;
}

export interface Recording {
  /** The environment of the programs that are recorded. */
  env: Record<string, string>;
  trace: string;
  /** Reads the trace, after the programs have ended. Fails unless it leads to what they have left. */
  read(): Step[];
}

/** Of what will happen in a folder, with the files that are there. */
export function startRecording(library: string, folder: string, trace: string): Recording {
  folder = realpathSync(folder);
  writeFileSync(trace, "");
  addFiles(trace, folder);
  return {
    env: { LD_PRELOAD: library, POWER_FOLDER: folder, POWER_TRACE: trace },
    trace,
    read() {
      const steps = readTrace(trace), moment = new Moment(steps);
      while (moment.advance().length > 0);
      const left = readFiles(folder), replayed = filesOf(moment.stateWithout(new Set()));
      assert.deepEqual(
        [...replayed.keys()],
        [...left.keys()],
        `The recorder has missed a change of names, maybe after ${steps.at(-1)?.text}`,
      );
      for (const [name, bytes] of left) {
        const isEqual = Buffer.compare(bytes ?? new Uint8Array(), replayed.get(name) ?? new Uint8Array()) === 0;
        assert.ok(isEqual, `The recorder has missed a change of ${name}`);
      }
      return steps;
    },
  };
}

/** The files of a state by their names, in order. A folder has no bytes. */
export function filesOf(state: State): Map<string, Uint8Array | undefined> {
  const contents = state.contents();
  const bytesOf = (inode: number) => inode === FOLDER ? undefined : contents.get(inode) ?? new Uint8Array();
  const named = [...state.names].toSorted(([a], [b]) => a < b ? -1 : 1);
  return new Map(named.map(([name, inode]) => [name, bytesOf(inode)]));
}
