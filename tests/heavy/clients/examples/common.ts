import process from "node:process";

const { PETSTORE_URL = "http://127.0.0.1:8000/v1", PETSTORE_KEY } = process.env;

export const settings = { baseUrl: PETSTORE_URL, headers: { authorization: `Bearer ${PETSTORE_KEY}` } };

/** The query parameter for the next page of a list; `undefined` after the last page. */
export function nextPage(headers: Headers): { cursor?: string } | undefined {
  const [, cursor] = /[?&]cursor=([\w-]+)[^>]*>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
  return cursor === undefined ? undefined : { cursor };
}
