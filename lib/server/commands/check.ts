import { SETTINGS } from "../settings/server_settings.ts";
import { findSharedStore } from "../settings/store_setting.ts";
import { declareCommand } from "./command.ts";

export const CHECK = declareCommand({
  summary: "tell whether the store is sound",
  options: { store: SETTINGS.store },
  about:
    "Servers may use the store meanwhile. The command changes nothing in the store, and prints each fault on standard error.",
  examples: [
    "petstore check",
    "petstore check --store sqlite:copy.db && mv copy.db /backup/",
    "PETSTORE_STORE=postgres://user@db.example/pets petstore check",
  ],
  failure: "The store cannot be checked",
  async run({ store }, { output, report, environment }) {
    const shared = await findSharedStore(store, environment);
    const { faults, contents } = await shared.check();
    faults.forEach(report);
    if (faults.length > 0) return 2;
    output.add(`${shared.description} is sound: ${contents}`);
    return 0;
  },
});
