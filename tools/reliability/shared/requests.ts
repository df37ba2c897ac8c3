import { lengthOf, post } from "../../../tests/support/http/requests.ts";
import type { IntendedPet } from "./pets.ts";

export function createRequest({ body, key }: IntendedPet): string {
  return post(body, `${lengthOf(body)}Idempotency-Key: ${key}\r\n`);
}

/** The same request with `Expect: 100-continue`. */
export function createOnDemand({ body, key }: IntendedPet): [head: string, body: string] {
  return [post("", `${lengthOf(body)}Idempotency-Key: ${key}\r\nExpect: 100-continue\r\n`), body];
}
