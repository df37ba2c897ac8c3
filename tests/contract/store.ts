import type { StoreCases } from "./store/case.ts";
import { CONCURRENCY_CASES } from "./store/concurrency.ts";
import { KEY_CASES } from "./store/keys.ts";
import { ONCE_CASES } from "./store/once.ts";
import { PAGING_CASES } from "./store/paging.ts";
import { PET_CASES } from "./store/pets.ts";

export const STORE_CONTRACT: StoreCases = { ...PET_CASES, ...PAGING_CASES, ...CONCURRENCY_CASES, ...ONCE_CASES };

/** Of a store that keeps API keys too. */
export const KEY_CONTRACT: StoreCases = KEY_CASES;
