import process from "node:process";
import { parseExact } from "./exact_json.ts";

// orval calls JSON.stringify by itself, which asks a bigint for its toJSON; without one it throws.
const { rawJSON } = JSON as JSON & { rawJSON(text: string): object };
Object.assign(BigInt.prototype, {
  toJSON(this: bigint) {
    return rawJSON(String(this));
  },
});

export async function fetchPets<T>(
  path: string,
  init: RequestInit,
): Promise<T> {
  const base = process.env.PETSTORE_URL ?? "http://127.0.0.1:8000/v1";
  const headers = new Headers(init.headers);
  if (process.env.PETSTORE_KEY) {
    headers.set("authorization", `Bearer ${process.env.PETSTORE_KEY}`);
  }
  const response = await fetch(base + path, { ...init, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    data: text ? parseExact(text) : undefined,
  } as T;
}
