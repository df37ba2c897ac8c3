import { settings } from "./common.ts";
import { parseExact } from "./exact_json.ts";

// orval calls JSON.stringify itself, which asks a bigint for its toJSON, and throws if it has none.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): object };
Object.assign(BigInt.prototype, {
  toJSON(this: bigint) {
    return rawJSON(String(this));
  },
});

export async function fetchPets<T>(path: string, init: RequestInit): Promise<T> {
  const headers = { ...settings.headers, ...init.headers };
  const response = await fetch(settings.baseUrl + path, { ...init, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, data: text ? parseExact(text) : undefined } as T;
}
