/** One server or several on one store, to be put under load and ended. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Random } from "../../support/random.ts";
import { type ServerParts, ServerProcess } from "../../support/server/server_process.ts";
import { KEY } from "./requests.ts";
import { visitDatabase } from "./visitor.ts";

/** How an ordinary end went. */
export interface Ending {
  status: number;
  /** Standard error. */
  errors: string;
}

/** Servers on one store, as the rounds see them. */
export interface Installation extends AsyncDisposable {
  /** Where its servers listen; empty while there are none. */
  readonly ports: readonly number[];
  /** Whether a crash may leave servers running that then answer 503. */
  readonly mayRefuse: boolean;
  /** Starts what is not running, on the store as it is. */
  start(): Promise<void>;
  /**
   * Kills with SIGKILL. Resolves when nothing is under way any more, in a database of its own process neither: an audit
   * may begin.
   */
  crash(): Promise<void>;
  /** Starts, and kills after so many milliseconds, which may be before the start is done. */
  crashAtStart(delay: number): Promise<void>;
  /** Ends with SIGTERM. */
  stop(): Promise<Ending>;
  /**
   * Lets another program open the store while the servers use it, do something, and close it: what it found wrong, a line
   * each.
   */
  visit(random: Random): Promise<string[]>;
  /** Lets the store check itself while no server runs, and changes nothing: what is wrong, a line each. */
  inspect(): string[];
}

/** One standalone server on an SQLite file. */
export class SqliteInstallation implements Installation {
  readonly mayRefuse = false;
  readonly #folder: string;
  #server: ServerProcess | undefined;

  /** @param folder Where the file is, or is to be. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get ports(): number[] {
    return this.#server ? [this.#server.port] : [];
  }

  async start(): Promise<void> {
    this.#server ??= await ServerProcess.start(this.#folder, PARTS);
  }

  async crash(): Promise<void> {
    await this.#server?.stop("SIGKILL");
    this.#server = undefined;
  }

  async crashAtStart(delay: number): Promise<void> {
    await ServerProcess.startAndKill(this.#folder, delay, PARTS);
  }

  async stop(): Promise<Ending> {
    if (!this.#server) throw new Error("No server is running");
    const status = await this.#server.stop();
    const errors = this.#server.written.stderr;
    this.#server = undefined;
    return { status, errors };
  }

  inspect(): string[] {
    return checkDatabase(join(this.#folder, FILE));
  }

  async visit(random: Random): Promise<string[]> {
    return await visitDatabase(join(this.#folder, FILE), random);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

const FILE = "pets.db";

/** Lines of an access log would be the larger part of the load. */
const PARTS: ServerParts = { args: [`--store=sqlite:${FILE}`, "--no-access-log"], env: { PETSTORE_KEYS: KEY } };

/**
 * What SQLite finds wrong with a database that no process has open. It looks at a copy, without the shared-memory file: the
 * first to open a database after a crash recovers it, and that has to be the server and not this check.
 */
export function checkDatabase(path: string): string[] {
  if (!existsSync(path)) return [];
  const folder = mkdtempSync(`${path}-copy-`);
  try {
    const copy = join(folder, "copy.db");
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    using db = new DatabaseSync(copy, { readOnly: true });
    const lines = db.prepare("PRAGMA integrity_check").all().map((row) => String(row["integrity_check"]));
    return lines.length === 1 && lines[0] === "ok" ? [] : lines;
  } catch (error) {
    return [`The database cannot be read: ${error instanceof Error ? error.message : error}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
