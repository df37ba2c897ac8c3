/** What is recorded: servers and commands in a folder, with what must be true of its files at each moment. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { idOf } from "../../../lib/access/key_digest.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { execute } from "../../support/database.ts";
import { FILE, makeDrafts, STORE, toNdjson } from "../../support/server/pet_files.ts";
import { environment, serverCommand } from "../../support/server/serve_task.ts";
import { originOf, readKey, STARTED } from "../../support/server/server_process.ts";
import { Child } from "../../support/system/child.ts";
import type { Recording } from "./recording.ts";
import { addNote } from "./trace.ts";

export interface Create {
  body: string;
  idempotencyKey: string;
  apiKey: string;
}

/** What must be true at a moment, beside that each pet in a response is there. */
export interface Expected {
  /** How a server starts. */
  serve: string[];
  /** A key of this server. Without one, it has the key of its first start. */
  key?: string;
  /** The creates that were sent. To repeat one adds no second pet. */
  creates: Create[];
  valid: string[];
  revoked: string[];
  /** The store has exactly the pets of one of these lists of names. */
  alternatives?: string[][];
  /** A copy with at least so many pets. Until it is done, it may be missing. */
  backup?: { file: string; pets: number; isDone: boolean };
  /** The backup of which a restore was asked for, and how many pets the file had before. */
  restore?: { backup: string; kept: number };
}

export type Runtime = "deno" | "node";

/** A create fails only while another program has the file. */
const RETRY_PAUSE_MS = 5;

const KEY = "k";

/** Where a workload runs: a folder, and the programs in it, which are recorded. There is one server at a time. */
export class Stage implements AsyncDisposable {
  readonly folder: string;
  readonly #runtime: Runtime;
  readonly #recording: Recording;
  #server: Child | undefined;
  #expected: Expected = { serve: [`--key=${KEY}`, STORE, "--log=off"], key: KEY, creates: [], valid: [], revoked: [] };

  constructor(folder: string, runtime: Runtime, recording: Recording) {
    this.folder = folder;
    this.#runtime = runtime;
    this.#recording = recording;
    this.expect({});
  }

  /** Says what is different from now on. */
  expect(changes: Partial<Expected>): void {
    this.#expected = { ...this.#expected, ...changes };
    addNote(this.#recording.trace, this.#expected);
  }

  /** The server is that of a first start, which makes its key and its store. */
  expectFirstStart(): void {
    const { key: _, ...others } = this.#expected;
    this.#expected = others;
    this.expect({ serve: ["--log=off"] });
  }

  async serve(): Promise<void> {
    this.#server = this.#start(["serve", "--port=0", ...this.#expected.serve]);
    await this.#server.printed(STARTED);
  }

  /** Runs a command of the program, which must succeed. Resolves to its standard output. */
  async run(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await this.#start(args).run();
    assert.equal(status, 0, stderr);
    return stdout;
  }

  #start(args: readonly string[]): Child {
    const [program = "", ...line] = [...serverCommand(this.#runtime === "node"), ...args];
    const env = { ...environment(), ...this.#recording.env };
    return new Child(program, line, { cwd: this.folder, clearEnv: true, env });
  }

  /** Creates a pet of its own, again and again until it is acknowledged. */
  async create(apiKey: string = KEY): Promise<void> {
    const { creates } = this.#expected;
    const idempotencyKey = `create-${creates.length}`, body = `{"name":"Luna ${creates.length}","categoryId":7}`;
    const create = { body, idempotencyKey, apiKey };
    this.expect({ creates: [...creates, create] });
    const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
    while (await this.#ask("", apiKey, { method: "POST", headers, body }) !== 201) await pause(RETRY_PAUSE_MS);
  }

  async list(apiKey: string = KEY): Promise<void> {
    assert.equal(await this.#ask("?limit=100", apiKey), 200);
  }

  async #ask(query: string, apiKey: string, init: RequestInit = {}): Promise<number> {
    const headers = { ...init.headers, authorization: `Bearer ${apiKey}` };
    const origin = originOf(this.#server?.written.stdout ?? "");
    const response = await fetch(`${origin}/v1/pets${query}`, { ...init, headers });
    await response.text();
    return response.status;
  }

  async stop(): Promise<void> {
    assert.equal(await this.#server?.stop(), 0, this.#server?.written.stderr);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

export interface Workload {
  /** Makes the files that are there before, on the disk. */
  prepare?(folder: string): Promise<void>;
  run(stage: Stage): Promise<void>;
}

const FIRST_START: Workload = {
  async run(stage) {
    stage.expectFirstStart();
    for (let start = 0; start < 2; start++) {
      await stage.serve();
      const key = readKey(stage.folder);
      await stage.create(key);
      await stage.list(key);
      await stage.stop();
    }
  },
};

/** Lone creates are committed by the thread that serves, and others by the one that writes. */
const CREATES: Workload = {
  async run(stage) {
    await stage.serve();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 3; i++) await stage.create();
      await Promise.all(Array.from({ length: 8 }, () => stage.create()));
      await stage.list();
    }
    await stage.stop();
  },
};

const KEYS: Workload = {
  async run(stage) {
    stage.expectFirstStart();
    await stage.serve();
    const idOfKey = (key: string) => idOf(createHash("sha256").update(key).digest("hex"));
    const one = (await stage.run("keys", "add", "--label", "one")).trim();
    stage.expect({ valid: [one] });
    await stage.create(one);
    const next = (await stage.run("keys", "rotate", idOfKey(one))).trim();
    stage.expect({ valid: [one, next] });
    await stage.create(next);
    stage.expect({ valid: [next] });
    await stage.run("keys", "revoke", idOfKey(one));
    stage.expect({ revoked: [one] });
    await stage.stop();
  },
};

const IMPORTS: Workload = {
  async run(stage) {
    const drafts = makeDrafts(300), file = `${stage.folder}.ndjson`;
    let before: string[] = [];
    for (const part of [drafts.slice(0, 100), drafts.slice(100)]) {
      writeFileSync(file, toNdjson(part));
      const after = [...before, ...part.map(({ name }) => name)];
      stage.expect({ alternatives: [before, after] });
      await stage.run("import", file, STORE);
      stage.expect({ alternatives: [after] });
      before = after;
    }
  },
};

const BACKUPS: Workload = {
  async run(stage) {
    const file = "copy.db", pets = 5;
    await stage.serve();
    await Promise.all(Array.from({ length: pets }, () => stage.create()));
    stage.expect({ backup: { file, pets, isDone: false } });
    await Promise.all([stage.run("backup", file, STORE), stage.create(), stage.create()]);
    stage.expect({ backup: { file, pets, isDone: true } });
    await stage.stop();
  },
};

/** A restore over a file with a pet that is only in its log, as after a kill, or over such a log whose file is missing. */
function restores(isMissing: boolean): Workload {
  const copied = ["Rex", "Bo"], present = [...copied, "Max"], backup = "copy.db";
  return {
    async prepare(folder) {
      const made = `${folder}-made.db`, path = join(folder, FILE);
      await using store = createSqliteStore(made, { writerThread: "never" });
      const add = (name: string) => store.create({ name, categoryId: 7n, status: "sold" });
      for (const name of copied) await add(name);
      execute(made, `VACUUM INTO '${join(folder, backup)}'`);
      await add("Max");
      for (const end of ["", "-wal"]) copyFileSync(made + end, path + end);
      if (isMissing) rmSync(path);
    },
    async run(stage) {
      stage.expect({ alternatives: [present, copied], restore: { backup, kept: isMissing ? 0 : present.length } });
      await stage.run("restore", backup, STORE);
      stage.expect({ alternatives: [copied] });
    },
  };
}

export const WORKLOADS: Record<string, Workload> = {
  "first start": FIRST_START,
  creates: CREATES,
  keys: KEYS,
  import: IMPORTS,
  backup: BACKUPS,
  restore: restores(false),
  "restore of a missing file": restores(true),
};
