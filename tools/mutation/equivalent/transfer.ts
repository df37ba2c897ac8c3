import type { Equivalents } from "./equivalents.ts";

export const transfer: Equivalents = {
  "lib/stores/sqlite/importer.ts": [
    {
      changes: ["`PRAGMA wal_autocheckpoint = ${CHECKPOINT}` → ``", "rows.length === ROWS → false"],
      reason: "It takes longer",
    },
    {
      changes: [
        "{ watch.requireInPlace(); } → {}",
        "watch.requireInPlace(); → ;",
        "{ // Closing would delete the log of that name, which may belong to another database. The process ends soon. return; } → {}",
      ],
      reason: "SQLite as it is in Node 24 looks itself whether the file was moved",
    },
  ],
};
