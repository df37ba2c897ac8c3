import { test } from "node:test";
import { createDurableObjectStore } from "../../lib/d1/d1_store.ts";
import { storeCases } from "../../../conformance/mod.ts";
import { openStorage } from "./support.ts";

const FIXTURE = {
  open: () => createDurableObjectStore(openStorage()),
  sharing: "none",
} as const;

for (const { name, skip, run } of await storeCases(FIXTURE)) {
  const reason = skip ? ` (skipped: ${skip})` : "";
  test(`a Durable Object's store on node:sqlite ${name}${reason}`, { skip }, run);
}
