import { type Slip, slipsOf } from "./slip.ts";

const SQLITE = "stores/sqlite/store stores/sqlite/commit stores/sqlite/idempotency " +
  "stores/sqlite/changes stores/sqlite/file stores/sqlite/keys stores/batch stores/sqlite/upgrade published published_sqlite";

export const STORES: Slip[] = [
  ...slipsOf("stores", SQLITE, [
    [
      "a commit is observed with the creates that it has, not those that wait",
      "batch.ts",
      "this.onCommit?.(count, this.#lastTook);",
      "this.onCommit?.(this.waiting.length, this.#lastTook);",
    ],
    [
      "creates that wait or are in flight count as unsettled",
      "batch.ts",
      "return this.waiting.length + this.#inFlight;",
      "return this.waiting.length;",
    ],
    [
      "a closed store takes no create",
      "batch.ts",
      "    if (this.#isClosed) throw storeClosed();\n",
      "",
    ],
    [
      "the last use of a key never goes back",
      "key_table.ts",
      "known <= now ? Math.max(known, at) : at",
      "at",
    ],
    [
      "a key that is replaced ends at the overlap, or earlier if it expires before",
      "key_table.ts",
      "!(old.expires && old.expires <= replaced.expires)",
      "true",
    ],
    [
      "the moment of a revocation is that of the first one",
      "sql_keys.ts",
      "SET revoked_at = ifnull(revoked_at, ?)",
      "SET revoked_at = ifnull(?, revoked_at)",
    ],
  ]),
  ...slipsOf("stores/memory", "stores/memory unit/response_cache published", [
    [
      "an Idempotency-Key is remembered for its retention, in milliseconds",
      "memory_store.ts",
      "expires: now + retentionMs }",
      "expires: now + retentionMs / 1000 }",
    ],
    [
      "a create shows in the changes",
      "memory_store.ts",
      'countWrite(this.#changes, { kind: "create" });',
      "",
    ],
  ]),
  ...slipsOf("stores/sqlite", SQLITE, [
    [
      "each store that shares the thread gets its own outcomes",
      "writer_thread.ts",
      "outcomes.splice(0, writes.length)",
      "outcomes.slice(0, writes.length)",
    ],
    [
      "a failure in the thread keeps its name",
      "writer_messages.ts",
      'return { kind: "failure", name, message };',
      'return { kind: "failure", name: "Error", message };',
    ],
    [
      "a pet keeps its status on its way to the thread",
      "writer.ts",
      "write = { ...write, pet: { name, categoryId, status } };",
      'write = { ...write, pet: { name, categoryId, status: "available" } };',
    ],
    [
      "the changes show what was committed here",
      "writer.ts",
      "    this.#onCommitted(writes);\n",
      "",
    ],
    [
      "a create on a file that was replaced is refused",
      "insert.ts",
      "        this.#watch.requireWritable();\n",
      "",
    ],
    [
      "a volume that was replaced is another one, though its file has the same number",
      "file.ts",
      "if (now.dev !== dev || now.ino !== ino) refuse(givenPath);",
      "if (now.ino !== ino) refuse(givenPath);",
    ],
    [
      "a key of an earlier release is remembered too",
      "insert.ts",
      "const keys = earlierKey === undefined ? [key] : [key, earlierKey];",
      "const keys = [key];",
    ],
    [
      "many creates in one statement get ascending ids in their order",
      "insert.ts",
      "for (let before = ROWS; before-- > 0;)",
      "for (let before = 0; before < ROWS; before++)",
    ],
    [
      "a change of a key waits for the disk",
      "keys.ts",
      'waits ? "FULL" : "NORMAL"',
      'waits ? "NORMAL" : "FULL"',
    ],
    [
      "after a use of a key was written, commits wait for the disk again",
      "keys.ts",
      '  } finally {\n    db.exec("PRAGMA synchronous = FULL");\n  }',
      "  } finally {}",
    ],
    [
      "an outage of the file makes what was kept stale",
      "change_watch.ts",
      "      this.#counters.alterations++;\n    }\n  }\n\n  #compare",
      "    }\n  }\n\n  #compare",
    ],
  ]),
];
