import { type Command, readSharedStore } from "./command.ts";

export const CHECK: Command = {
  summary: "tell whether the store is sound",
  about:
    "Servers may use the store meanwhile. The command changes nothing in the store, and prints each fault on standard error.",
  examples: [
    "petstore check",
    "petstore check --store sqlite:copy.db && mv copy.db /backup/",
    "PETSTORE_STORE=postgres://user@db.example/pets petstore check",
  ],
  failure: "The store cannot be checked",
  async run(args, context) {
    const { output, report } = context.writers;
    const { description, shared } = await readSharedStore(args, context);
    const { faults, contents } = await shared.check();
    faults.forEach(report);
    if (faults.length > 0) return 2;
    output.add(`${description} is sound: ${contents}`);
    return 0;
  },
};
