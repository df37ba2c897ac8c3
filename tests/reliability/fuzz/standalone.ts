/** A standalone server with workers on an SQLite file. Deno only. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createValidatorWithoutPage } from "../../support/server/server_description.ts";
import { ServerProcess } from "../../support/server/server_process.ts";
import type { Connection } from "./host.ts";
import { KEY } from "./settings.ts";
import { SocketConnection } from "./socket_connection.ts";

/** The name of the database in its folder. */
export const FILE = "pets.db";

/** Enough for each worker to get some. Linux gives a connection to any of them. */
const SOCKETS = 8;

export class StandaloneServer implements AsyncDisposable {
  readonly #server: ServerProcess;
  readonly #validate = createValidatorWithoutPage();
  readonly #database: DatabaseSync;

  private constructor(server: ServerProcess, database: DatabaseSync) {
    this.#server = server;
    this.#database = database;
  }

  /** @param folder Where its file is. */
  static async start(folder: string, workers: number): Promise<StandaloneServer> {
    const args = [`--store=sqlite:${FILE}`, `--workers=${workers}`, "--no-docs", "--log=off"];
    const server = await ServerProcess.start(folder, { args, env: { PETSTORE_KEYS: KEY } });
    return new StandaloneServer(server, new DatabaseSync(join(folder, FILE), { timeout: 5000 }));
  }

  /** Empties the file as another program would, so a sequence needs no new server. */
  connect(): Connection {
    this.#database.exec("BEGIN IMMEDIATE; DELETE FROM pets; DELETE FROM idempotency_keys");
    this.#database.exec("DELETE FROM sqlite_sequence; COMMIT");
    const endpoint = { port: this.#server.port, validate: this.#validate };
    return new SocketConnection(endpoint, SOCKETS);
  }

  /** What the server has told its operator. */
  get errors(): string {
    return this.#server.written.stderr;
  }

  /** Ends the server. Returns what was wrong with its end. */
  async stop(): Promise<string | undefined> {
    const status = await this.#server.stop();
    return status === 0 && this.errors === "" ? undefined : `Exit status ${status}, standard error: ${this.errors}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
    await this.#server[Symbol.asyncDispose]();
  }
}
