import process from "node:process";

export const settings = {
  baseUrl: process.env.PETSTORE_URL ?? "http://127.0.0.1:8000/v1",
  headers: { authorization: `Bearer ${process.env.PETSTORE_KEY}` },
};

/** The query parameter for the next page of a list; `undefined` after the last page. */
export function nextPage(headers: Headers): { cursor?: string } | undefined {
  const [, cursor] = /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
  return cursor === undefined ? undefined : { cursor };
}
