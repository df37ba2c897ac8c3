import { type ApiKeys, createPetstore, type ErrorInfo } from "../../mod.ts";

/** Sends a request with each key to a petstore with these keys, one after the other. Resolves to the statuses. */
export type Ask = (...all: { key: string }[]) => Promise<number[]>;

export function askerOf(keys: ApiKeys, onError: (info: ErrorInfo) => void = () => {}): Ask {
  const { handle } = createPetstore({ keys, onError });
  return async (...all) => {
    const statuses: number[] = [];
    for (const { key } of all) {
      const headers = { authorization: `Bearer ${key}` };
      statuses.push((await handle(new Request("http://petstore.example/v1/pets", { headers }))).status);
    }
    return statuses;
  };
}
