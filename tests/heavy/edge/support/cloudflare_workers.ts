/** The part of `cloudflare:workers` that the Workers need for their type check. */

import type { D1Binding } from "@petstore/edge/d1";

interface Env {
  PETSTORE_KEYS: string;
  DB: D1Binding;
  PETS: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
}

export const env: Env = {} as Env;
