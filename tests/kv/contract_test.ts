import { testHttpContract, testStoreContract } from "../contract/contracts.ts";
import { IN_PROCESS } from "../support/api.ts";
import { KV_KINDS } from "../support/kv/kv.ts";

await testStoreContract(KV_KINDS);
testHttpContract(IN_PROCESS, KV_KINDS);
