import { STORE_KINDS } from "../support/stores.ts";
import { testStoreContract } from "./contracts.ts";

await testStoreContract(STORE_KINDS);
