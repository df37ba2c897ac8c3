import { STORE_KINDS } from "../support/stores.ts";
import { testStoreContract } from "./contracts.ts";

testStoreContract(STORE_KINDS);
