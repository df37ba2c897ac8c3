import type { Equivalents } from "./equivalents.ts";

export const sqlite: Equivalents = {
  "lib/stores/pet_sql.ts": [
    { changes: ['" " → ""'], reason: "SQL needs no space after a text in quotes" },
  ],
  "lib/stores/sql_keys.ts": [
    {
      changes: [
        'versions?.[0]?.["version"] → versions?.[0]["version"]',
        "versions?.[0] → versions[0]",
        "results.at(-1)?.length → results.at(-1).length",
      ],
      reason: "Each statement has its rows, and the version is always one",
    },
    { changes: ["uses.length === 0 → false"], reason: "A statement without uses takes longer" },
    { changes: ["2n ** 63n - 1n → 2n ** 63n + 1n"], reason: "Every time is smaller" },
  ],
  "lib/stores/sqlite/insert.ts": [
    {
      changes: [
        "writes.slice(i, i + ROWS) → writes",
        "i + ROWS → i - ROWS",
        "next.length === ROWS && next.every(isCreate) → false",
        'write.kind === "create" → false',
        '{ return write.kind === "create"; } → {}',
      ],
      reason: "Rows are inserted one by one, which takes longer",
    },
    {
      changes: [
        "requests > 0 → true",
        "requests > 0 → requests >= 0",
        'kind === "createOnce" → true',
        'writes.filter(({ kind }) => kind === "createOnce") → writes',
      ],
      reason: "Deletes none or more at a time, which takes longer",
    },
    {
      changes: ['"probed" → ""', '{ outcome: "probed" } → {}'],
      line: 'return { outcome: "probed" };',
      reason: "The outcome of a probe is not read",
    },
    { changes: ["default: return unknownKind(write); → default:"], reason: "No other kind compiles" },
    { changes: ['"create" → ""'], line: 'return write.kind === "create";', reason: "Rows are inserted one by one" },
  ],
  "lib/stores/sqlite/keys.ts": [
    {
      changes: [
        '() => JSON.stringify(run([["PRAGMA data_version"], ["SELECT total_changes()"]])) → () => undefined',
        '() => inPlace(() => JSON.stringify(run([["PRAGMA data_version"], ["SELECT total_changes()"]]))) → () => undefined',
      ],
      reason: "The keys are compared each time, which takes longer",
    },
  ],
  "lib/stores/sqlite/statements.ts": [
    { changes: ["2n ** 63n - 1n → 2n ** 63n + 1n"], reason: "No id is greater than either" },
  ],
  "lib/stores/sqlite/store.ts": [
    {
      changes: ["Date.now() >= this.#earlierUntil → Date.now() > this.#earlierUntil"],
      reason: "It is looked up in vain for a millisecond more",
    },
  ],
};
