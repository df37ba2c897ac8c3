/** What is recorded: servers and commands in a folder, with what must be true of its files at each moment. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { SeenResponse } from "../../support/openapi_validator.ts";
import { type AnyServer, runHere } from "../../support/server/in_process.ts";
import { makeDrafts, toNdjson } from "../../support/server/pet_files.ts";
import { readKey, ServerProcess } from "../../support/server/server_process.ts";
import { Child } from "../../support/system/child.ts";
import type { Recording } from "./trace.ts";

export const SERVE: readonly string[] = ["--log=off"];

/** The store of these servers and commands. */
const STORE = "data/petstore.db";

/** What must be true from a moment on, beside that what a response has shown is stored. */
export interface Expected {
  /** The names of the creates that were sent. To repeat one adds no second pet. */
  creates: string[];
  /** Whether pets that were shown before may be gone. */
  forgets?: boolean;
  /** What an operator does before the server starts. */
  prepare?(): Promise<void>;
  /** Checks a server that has started on the files, and has pets of these names. */
  check?: Check;
}

type Check = (server: AnyServer, names: string[]) => Promise<void>;

/** Sends a create whose name is also its `Idempotency-Key`. */
export function createPet({ ask }: Pick<AnyServer, "ask">, key: string, name: string): Promise<SeenResponse> {
  const headers = { "content-type": "application/json", "idempotency-key": name };
  return ask("/v1/pets", key, { method: "POST", headers, body: JSON.stringify({ name, categoryId: 7 }) });
}

/** A create fails only while another program has the file. */
const RETRY_PAUSE_MS = 5;

/** Where a workload runs: a folder, and the programs in it, which are recorded. */
export class Stage {
  readonly folder: string;
  readonly #onNode: boolean;
  readonly #recording: Recording;
  /** What was expected first, and after each change. The recording has their numbers. */
  readonly expected: Expected[] = [{ creates: [] }];

  constructor(folder: string, onNode: boolean, recording: Recording) {
    this.folder = folder;
    this.#onNode = onNode;
    this.#recording = recording;
  }

  /** Says what is different from now on. */
  expect(changes: Partial<Expected>): void {
    this.#recording.note(this.expected.push({ ...this.expected.at(-1)!, ...changes }) - 1);
  }

  /** Runs a server, which must end well, unless `use` has killed it. */
  async serve(use: (server: ServerProcess) => Promise<void>): Promise<void> {
    const parts = { args: SERVE, env: this.#recording.env, onNode: this.#onNode };
    await using server = await ServerProcess.start(this.folder, parts);
    await use(server);
    assert.ok([0, 137].includes(await server.stop()), server.written.stderr);
  }

  /** Runs a command of the program, which must succeed. */
  async run(...args: string[]): Promise<void> {
    const parts = { args, env: this.#recording.env, onNode: this.#onNode };
    const { status, stderr } = await new ServerProcess(this.folder, parts).run();
    assert.equal(status, 0, stderr);
  }

  /** Removes a file with a program of the system. */
  async remove(name: string): Promise<void> {
    await new Child("rm", [name], { cwd: this.folder, env: this.#recording.env }).run();
  }

  /** Creates a pet of its own, again and again until it is acknowledged. */
  async create(server: ServerProcess): Promise<void> {
    const { creates } = this.expected.at(-1)!, name = `Luna-${creates.length}`;
    this.expect({ creates: [...creates, name] });
    while ((await createPet(server, readKey(this.folder), name)).status !== 201) await pause(RETRY_PAUSE_MS);
  }

  async list(server: ServerProcess): Promise<void> {
    assert.equal((await server.ask("/v1/pets?limit=100", readKey(this.folder))).status, 200);
  }
}

type Workload = (stage: Stage) => Promise<void>;

const firstStart: Workload = async (stage) => {
  for (let start = 0; start < 2; start++) {
    await stage.serve(async (server) => {
      await stage.create(server);
      await stage.list(server);
    });
  }
};

/** Lone creates are committed by the thread that serves, and others by the one that writes. */
const creates: Workload = (stage) =>
  stage.serve(async (server) => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 3; i++) await stage.create(server);
      await Promise.all(Array.from({ length: 8 }, () => stage.create(server)));
      await stage.list(server);
    }
  });

/** The store must have exactly the pets of one of these lists of names. */
function oneOf(alternatives: string[][]): Check {
  return (_, names) => {
    assert.ok(alternatives.some((each) => each.join() === names.join()), `The pets are ${names}`);
    return Promise.resolve();
  };
}

const imports: Workload = async (stage) => {
  const drafts = makeDrafts(300), file = `${stage.folder}.ndjson`;
  let before: string[] = [];
  for (const part of [drafts.slice(0, 100), drafts.slice(100)]) {
    writeFileSync(file, toNdjson(part));
    const after = [...before, ...part.map(({ name }) => name)];
    stage.expect({ check: oneOf([before, after]) });
    await stage.run("import", file);
    stage.expect({ check: oneOf([after]) });
    before = after;
  }
};

/** While a backup is made, there is a whole copy or none, and afterwards a whole one. */
const backup: Workload = (stage) =>
  stage.serve(async (server) => {
    const pets = 5, file = "copy.db";
    await Promise.all(Array.from({ length: pets }, () => stage.create(server)));
    stage.expect({ check: () => existsSync(file) ? checkBackup(file, pets) : Promise.resolve() });
    await Promise.all([stage.run("backup", file), stage.create(server), stage.create(server)]);
    stage.expect({ check: () => checkBackup(file, pets) });
  });

async function checkBackup(file: string, least: number): Promise<void> {
  const { stdout, stderr } = await runHere(["check", `--store=sqlite:${file}`]);
  const stored = Number(/ is sound: (\d+) pets?$/m.exec(stdout)?.[1]);
  assert.ok(stored >= least, `The copy has ${stored} pets. ${stderr}`);
}

/** A restore over a file that a kill has left, whose last pet is only in its log, or over the log of a missing file. */
function restore(isMissing: boolean): Workload {
  return async (stage) => {
    const backup = "copy.db", copied = ["Luna-0", "Luna-1"], present = [...copied, "Luna-2"];
    await stage.serve(async (server) => {
      for (const _ of copied) await stage.create(server);
      await stage.run("backup", backup);
      await stage.create(server);
      await server.stop("SIGKILL");
    });
    if (isMissing) await stage.remove(STORE);
    stage.expect({
      creates: [],
      forgets: true,
      prepare: () => finishRestore(backup),
      async check(server, names) {
        await oneOf([present, copied])(server, names);
        if (names.length < present.length && !isMissing) await checkBackup(replacedStore(), present.length);
      },
    });
    await stage.run("restore", backup);
    stage.expect({ check: oneOf([copied]) });
  };
}

/** Repeats a restore if the file cannot be used, as it was before, or the restore says that it was cut short. */
async function finishRestore(backup: string): Promise<void> {
  const { stderr } = await runHere(["check"]);
  if (!/was cut short|does not exist|is missing/.test(stderr)) return;
  const { status, stderr: reason } = await runHere(["restore", backup]);
  assert.equal(status, 0, reason);
}

/** The file that a restore has replaced has the name of the store and the time. */
function replacedStore(): string {
  const name = readdirSync("data").find((name) => /^petstore\.db\.[-\dT]+Z$/.test(name));
  return `data/${name}`;
}

export const WORKLOADS: Record<string, Workload> = {
  "first start": firstStart,
  creates,
  import: imports,
  backup,
  restore: restore(false),
  "restore of a missing file": restore(true),
};
