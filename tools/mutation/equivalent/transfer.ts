import type { Equivalents } from "./equivalents.ts";

export const transfer: Equivalents = {
  "lib/stores/sqlite/importer.ts": [
    { changes: ["`PRAGMA wal_autocheckpoint = ${CHECKPOINT}` → ``"], reason: "It takes longer" },
  ],
};
