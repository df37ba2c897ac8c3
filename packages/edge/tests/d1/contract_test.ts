import { createDurableObjectStore } from "../../lib/d1/d1_store.ts";
import { testStoreContract } from "../../../../tests/contract/contracts.ts";
import { openStorage } from "./support.ts";

await testStoreContract([{
  name: "Durable Object (on node:sqlite)",
  open: () => createDurableObjectStore(openStorage()),
  sharing: "none",
  lacks: ["changes", "checkWrites"],
}]);
