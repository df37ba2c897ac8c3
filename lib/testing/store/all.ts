import type { StoreCase } from "./case.ts";
import { CONCURRENCY_CASES } from "./concurrency.ts";
import { KEY_CASES } from "./keys.ts";
import { ONCE_CASES } from "./once.ts";
import { PAGING_CASES } from "./paging.ts";
import { PET_CASES } from "./pets.ts";
import { RESTART_CASES } from "./restarts.ts";
import { SERVERS_CASES } from "./servers.ts";

export const STORE_CONTRACT: readonly StoreCase[] = [
  ...PET_CASES,
  ...PAGING_CASES,
  ...CONCURRENCY_CASES,
  ...ONCE_CASES,
  ...SERVERS_CASES,
  ...RESTART_CASES,
  ...KEY_CASES,
];
