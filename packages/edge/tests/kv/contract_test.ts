import { testHttpContract, testStoreContract } from "../../../../tests/contract/contracts.ts";
import { IN_PROCESS } from "../../../../tests/support/api.ts";
import { KV_KINDS } from "../kv_support/kv.ts";

await testStoreContract(KV_KINDS);
testHttpContract(IN_PROCESS, KV_KINDS);
