import process from "node:process";

/** Where orval's functions send their requests: it knows the address and the key. */
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
    data: text ? JSON.parse(text) : undefined,
  } as T;
}
