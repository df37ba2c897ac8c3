/** What an installation has promised up to a moment of a trace: all that it has shown, and what it was asked for. */

import { createHash } from "node:crypto";
import { idOf } from "../../../lib/access/key_ring.ts";
import type { Step } from "./trace.ts";

/** What a client or an operator is about to ask for, in a note of the trace. */
export type Intent =
  /** Where the database is, and how a server starts on it. */
  | { kind: "store"; path: string; serve: string[]; key?: string }
  | { kind: "create"; name: string; body: string; key: string; apiKey: string }
  | { kind: "revoke"; id: string }
  /** The file to import, and the names of its pets. */
  | { kind: "import"; text: string; names: string[] }
  | { kind: "backup"; file: string };

export interface Create {
  body: string;
  /** Its Idempotency-Key. */
  key: string;
  apiKey: string;
  /** The pet as it was shown. */
  pet?: string;
}

/** A pet, wherever it is shown. */
export const PET = /\{"id":(\d+),"name":("(?:[^"\\]|\\.)*"),"categoryId":-?\d+,"status":"\w+"\}/g;

export class Promises {
  store: Intent & { kind: "store" } = { kind: "store", path: "data/petstore.db", serve: [] };
  /** As they were shown, by id. */
  readonly pets: Map<string, string> = new Map();
  /** The creates by the names of their pets. */
  readonly creates: Map<string, Create> = new Map();
  /** Printed keys by id, also those that were not yet stored. */
  readonly keys: Map<string, string> = new Map();
  /** The key in the file of the first start. */
  keptKey: string | undefined;
  readonly valid: Set<string> = new Set();
  readonly revoked: Set<string> = new Set();
  readonly imports: { text: string; names: string[]; isDone: boolean }[] = [];
  /** The pets that a backup must have, and those that it says to have. */
  readonly backups: Map<string, { pets: string[]; count?: number }> = new Map();
  /** How often something was promised. */
  count = 0;

  add(steps: readonly Step[]): void {
    for (const step of steps) {
      if (step.kind === "shown") this.#show(step.text);
      else if (step.kind === "note") this.#intend(JSON.parse(step.text));
    }
  }

  #intend(intent: Intent): void {
    if (intent.kind === "store") this.store = intent;
    else if (intent.kind === "create") this.creates.set(intent.name, intent);
    else if (intent.kind === "revoke") this.valid.delete(intent.id);
    else if (intent.kind === "import") this.imports.push({ ...intent, isDone: false });
    else this.backups.set(intent.file, { pets: [...this.pets.values()] });
  }

  #show(text: string): void {
    const before = this.#promised();
    for (const [pet, id = "", name = ""] of text.matchAll(PET)) {
      this.pets.set(id, pet);
      const create = this.creates.get(JSON.parse(name));
      if (create) create.pet = pet;
    }
    for (const [key] of text.matchAll(/petstore_\w+/g)) {
      this.keys.set(idOf(createHash("sha256").update(key).digest("hex")), key);
    }
    // A key that a command prints is stored afterwards, and a second line says so.
    const [, first] = /(petstore_\w+) \(new, kept/.exec(text) ?? [];
    if (first) {
      this.valid.add([...this.keys].find(([, key]) => key === first)![0]);
      this.keptKey = first;
    }
    for (const [, id = ""] of text.matchAll(/^petstore: (key-\w+) \(.*\) may read/gm)) this.valid.add(id);
    for (const [, id = ""] of text.matchAll(/^(key-\w+) is revoked$/gm)) this.revoked.add(id);
    const current = this.imports.at(-1);
    if (current && / pets? added/.test(text)) current.isDone = true;
    for (const [, file = "", count] of text.matchAll(/^(\S+): (\d+) pets?, \d+ bytes, checked$/gm)) {
      const backup = this.backups.get(file);
      if (backup) backup.count = Number(count);
    }
    if (this.#promised() !== before) this.count++;
  }

  #promised(): string {
    const done = this.imports.filter(({ isDone }) => isDone).length;
    const counts = [...this.backups.values()].map(({ count }) => count);
    return [this.pets.size, this.valid.size, this.revoked.size, done, ...counts].join();
  }
}
