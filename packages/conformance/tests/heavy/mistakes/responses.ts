/** Mistakes about the form of a response: its status, its media type and the body of an error. */

import { answers, errors, fieldOf, isCreate, isGet, isList, type Mistake, status } from "./planting.ts";

const HTML = "<html><body>Error</body></html>";
const asPage = (seen: { headers: Headers; text: string }) => {
  seen.headers.set("content-type", "text/html");
  seen.text = HTML;
};

/** Mistakes about statuses, media types and the body of an error. */
export const RESPONSE_MISTAKES: Readonly<Record<string, Mistake>> = {
  "create: answers 200": status(201, 200),
  "create: answers 422 to a pet that is not valid": status(400, 422, isCreate),
  "create: answers 500 to a pet that is not valid": status(400, 500, isCreate),
  "get: answers 400 to an id that no pet has": status(404, 400, isGet),
  "list: answers 206": status(200, 206, isList),
  "list: answers 204 to an empty list": answers(
    (seen) => void (seen.text === "[]" && Object.assign(seen, { status: 204, text: "" })),
    isList,
  ),
  "any: sends HTML errors": answers(({ status, headers }) => status >= 400 && headers.set("content-type", "text/html")),
  "any: sends problem+json": answers(({ status, headers }) =>
    status >= 400 && headers.set("content-type", "application/problem+json")
  ),
  "list: sends text": answers(({ headers }) => headers.set("content-type", "text/plain"), isList),
  "create: sends text": answers(({ headers }) => headers.set("content-type", "text/plain"), isCreate),
  "get: sends text": answers(({ headers }) => headers.set("content-type", "text/plain"), isGet),
  ...Object.fromEntries([400, 401, 404].flatMap((from): [string, Mistake][] => [
    [`any: has no code in a ${from}`, errors(from, ({ code: _, ...error }) => error)],
    [`any: has no message in a ${from}`, errors(from, ({ message: _, ...error }) => error)],
    [`any: has no status in a ${from}`, errors(from, ({ status: _, ...error }) => error)],
    [`any: has another status in a ${from}`, errors(from, (error) => ({ ...error, status: 500 }))],
    [`any: has the status as text in a ${from}`, errors(from, (error) => ({ ...error, status: String(from) }))],
    [`any: has a number as code in a ${from}`, errors(from, (error) => ({ ...error, code: from }))],
    [`any: has an error in an error for ${from}`, errors(from, (error) => ({ error }))],
    [`any: has an empty body with a ${from}`, answers((seen) => void (seen.status === from && (seen.text = "")))],
  ])),
  "get: answers 500 to negative ids": answers((seen, { url }) => {
    if (seen.status === 404 && /\/pets\/-\d/.test(url)) {
      Object.assign(seen, { status: 500, text: seen.text.replace("404", "500") });
    }
  }),
  "get: answers 400 to id 0": answers((seen, { url }) => {
    if (seen.status === 404 && /\/pets\/0$/.test(url)) {
      Object.assign(seen, { status: 400, text: seen.text.replace("404", "400") });
    }
  }),
  "list: sends pages without a key beside a status": answers(
    (seen, { url }) => void (seen.status === 401 && url.includes("status=") && asPage(seen)),
    isList,
  ),
  "any: sends a page to a request with Basic": answers((seen, request) =>
    void (seen.status === 401 && fieldOf("authorization")(request).startsWith("Basic") && asPage(seen))
  ),
  "any: has another Error for a wrong key": answers((seen, request) => {
    if (seen.status === 401 && fieldOf("authorization")(request).startsWith("Bearer")) {
      seen.text = '{"error":"unauthorized"}';
    }
  }),
  "create: has another Error for what is no JSON": (next) => async (request) => {
    const text = isCreate(request) ? await request.clone().text().catch(() => "") : "{}";
    const response = await next(request);
    if (response.status !== 400 || !/^\{"name":"[^"]*"/.test(text) || text.endsWith("}")) return response;
    return new Response('{"detail":"JSON parse error"}', response);
  },
  "create: sends text for what is no object": (next) => async (request) => {
    const text = isCreate(request) ? await request.clone().text().catch(() => "") : "{}";
    const response = await next(request);
    if (response.status !== 400 || !/^[["\d]/.test(text)) return response;
    return new Response(await response.text(), { status: 400, headers: { "content-type": "text/plain" } });
  },
  "create: has a text as status for a missing category": (next) => async (request) => {
    const text = isCreate(request) ? await request.clone().text().catch(() => "") : "categoryId";
    const response = await next(request);
    if (response.status !== 400 || text.includes("categoryId")) return response;
    return new Response((await response.text()).replace('"status":400', '"status":"400"'), response);
  },
  "get: has no code for a negative id": answers((seen, { url }) => {
    if (seen.status === 404 && /\/pets\/-\d/.test(url)) seen.text = '{"message":"not found","status":404}';
  }),
};
