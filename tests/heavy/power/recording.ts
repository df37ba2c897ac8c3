/** Runs programs under recorder.c, which it builds. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command, skipUnless } from "../../support/system/commands.ts";
import { Moment } from "./states.ts";
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
      const steps = readTrace(trace);
      assertLeadsTo(folder, steps);
      return steps;
    },
  };
}

/** Fails if the recorder has missed a step. */
function assertLeadsTo(folder: string, steps: readonly Step[]): void {
  const moment = new Moment(steps);
  while (moment.advance().length > 0);
  const state = moment.stateWithout(new Set()), left = readFiles(folder);
  assert.deepEqual(state.entries.map(([name]) => name), [...left.keys()], `after ${steps.at(-1)?.text}`);
  for (const [name, inode] of state.entries) {
    if (inode !== FOLDER) assert.equal(Buffer.compare(left.get(name)!, state.bytesOf(inode)), 0, name);
  }
}
