/** The HTTP contract is written for `/v1`; its client here reaches a petstore that is mounted elsewhere. */

import type { Api, ApiResponse } from "../../support/api.ts";

/** The base path in the contract's own paths and expectations. */
export const CONTRACT_BASE_PATH = "/v1";

/** The same client, whose caller sees `/v1` wherever the server has `basePath`. */
export function asMountedAt(basePath: string, api: Api): Api {
  if (basePath === CONTRACT_BASE_PATH) return api;
  const there = (path: string) => {
    // `//` begins a path from the root.
    if (!path.startsWith("//")) return path;
    const inside = /^\/\/v1(?=\/|\?|$)/;
    if (inside.test(path)) return path.replace(inside, `/${basePath}`);
    // At the root, a path outside `/v1` would be a path of the petstore.
    return basePath === "" ? `//outside${path.slice(1)}` : path;
  };
  const back = (response: ApiResponse): ApiResponse => {
    const headers = new Headers(response.headers);
    for (const name of ["location", "link"]) {
      const value = headers.get(name);
      if (value !== null) headers.set(name, value.replace(new RegExp(`^(<?)${basePath}/`), `$1${CONTRACT_BASE_PATH}/`));
    }
    return { ...response, headers };
  };
  return {
    send: async (method, path, parts) => back(await api.send(method, there(path), parts)),
    get: async (path, parts) => back(await api.get(there(path), parts)),
    post: async (body, parts) => back(await api.post(body, parts)),
  };
}
