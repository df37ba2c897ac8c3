/** The cursor of the next page, taken from the Link header of a page; `undefined` on the last one. */
export function nextCursor(headers: Headers): string | undefined {
  const next = /<([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
  // The link may be relative, which URL does not take alone; only its query is wanted here.
  return next &&
    (new URL(next, "http://localhost").searchParams.get("cursor") ?? undefined);
}
