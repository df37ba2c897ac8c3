// Runs with the test runners of Node, Deno and Bun.
import { test } from "node:test";
import { registerAll } from "./own_store.mjs";

await registerAll((name, skip, run) => test(name, { skip }, run));
