/**
 * The limit: the bare server of a runtime, which reads what any service of this kind must read: the
 * method, the URL, the key, and the body of a POST as JSON. It answers with copies of the
 * petstore's responses, each a new `Response`.
 */

import { AUTHORIZATION } from "../catalogue.ts";
import { listen } from "./host.ts";
import { answerCreate, findResponse, type StoredResponse } from "./stored_response.ts";

listen((request) => {
  const { headers, method, url } = request;
  if (headers.get("authorization") !== AUTHORIZATION) return new Response(null, { status: 401 });
  const stored = findResponse(method, url.slice(url.indexOf("/", "http://".length)));
  return method === "POST" ? create(request, stored) : respond(stored);
});

function respond(response: StoredResponse): Response {
  return new Response(response.body, response);
}

async function create(request: Request, stored: StoredResponse): Promise<Response> {
  if (request.headers.get("content-type") !== "application/json") return new Response(null, { status: 415 });
  const body = new TextDecoder().decode(await request.arrayBuffer());
  return respond(answerCreate(stored, body));
}
