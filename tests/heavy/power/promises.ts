/** What an installation has promised up to a moment of a trace: all that it has shown, and what it was asked for. */

import type { Step } from "./trace.ts";

/** What a client or an operator is about to ask for, in a note of the trace. */
export type Intent =
  /** How a server starts on the store, and the key that it takes; without one, the key of the first start. */
  | { kind: "store"; serve: string[]; key?: string }
  | ({ kind: "create"; name: string } & Create)
  /** The text of the key. */
  | { kind: "revoke"; key: string }
  | { kind: "import"; names: string[] }
  | { kind: "backup"; file: string };

export interface Create {
  body: string;
  /** Its Idempotency-Key. */
  key: string;
  apiKey: string;
}

/** A pet, wherever it is shown. */
export const PET = /\{"id":(\d+),"name":("(?:[^"\\]|\\.)*"),"categoryId":-?\d+,"status":"\w+"\}/g;

export class Promises {
  store: Intent & { kind: "store" } = { kind: "store", serve: [] };
  /** As they were shown, by name, which no two pets share. */
  readonly pets: Map<string, string> = new Map();
  /** The creates by the names of their pets. */
  readonly creates: Map<string, Create> = new Map();
  /** Whether a key is valid. One that is being added or revoked is not among them. */
  readonly keys: Map<string, boolean> = new Map();
  /** The key in the file of the first start. */
  keptKey: string | undefined;
  /** The names of imported pets, and whether the command has said that they are there. */
  readonly imports: { names: string[]; isDone: boolean }[] = [];
  /** The fewest pets of a backup, and those that it says to have. */
  readonly backups: Map<string, { least: number; count?: number }> = new Map();
  #printedKey = "";
  #revoked = "";

  add(steps: readonly Step[]): void {
    for (const step of steps) {
      if (step.kind === "shown") this.#show(step.text);
      else if (step.kind === "note") this.#intend(JSON.parse(step.text));
    }
  }

  #intend(intent: Intent): void {
    if (intent.kind === "store") this.store = intent;
    else if (intent.kind === "create") this.creates.set(intent.name, intent);
    else if (intent.kind === "revoke") this.keys.delete(this.#revoked = intent.key);
    else if (intent.kind === "import") this.imports.push({ names: intent.names, isDone: false });
    else this.backups.set(intent.file, { least: this.pets.size });
  }

  #show(text: string): void {
    for (const [pet, , name = ""] of text.matchAll(PET)) this.pets.set(JSON.parse(name), pet);
    const [, first] = /(petstore_\w+) \(new, kept/.exec(text) ?? [];
    if (first !== undefined) this.keys.set(this.keptKey = first, true);
    // A key that a command prints is stored afterwards, and a second line says so.
    [this.#printedKey] = /^petstore_\w+/m.exec(text) ?? [this.#printedKey];
    if (/^petstore: key-\w+ \(.*\) may read/m.test(text)) this.keys.set(this.#printedKey, true);
    if (/^key-\w+ is revoked$/m.test(text)) this.keys.set(this.#revoked, false);
    const current = this.imports.at(-1);
    if (current && / pets? added/.test(text)) current.isDone = true;
    for (const [, file = "", count] of text.matchAll(/^(\S+): (\d+) pets?, \d+ bytes, checked$/gm)) {
      const backup = this.backups.get(file);
      if (backup) backup.count = Number(count);
    }
  }
}
