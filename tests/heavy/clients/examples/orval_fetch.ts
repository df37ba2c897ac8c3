import { settings } from "./common.ts";

export async function fetchPets<T>(path: string, init: RequestInit): Promise<T> {
  const headers = { ...settings.headers, ...init.headers };
  const response = await fetch(settings.baseUrl + path, { ...init, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, data: text ? JSON.parse(text) : undefined } as T;
}
