// Vitest's runner, with its globals.
import { registerAll } from "./own_store.mjs";

await registerAll((name, skip, run) => globalThis.test.skipIf(skip)(name, run));
