/** Heads that only a faulty or hostile client sends, to a petstore on `Deno.serve`: keys, targets, headers, methods. */

import { Buffer } from "node:buffer";
import { type Case, testResponses } from "../support/http/raw_petstore.ts";
import { AUTHORIZATION, get, head, HEADERS } from "../support/http/requests.ts";

const latin = (text: string) => Buffer.from(text, "latin1");
const REFUSED_METHODS = ["PROPFIND", "TRACE", "get", "Post", "constructor", "__proto__", "X".repeat(5000)];

testResponses([
  ["a key that is not ASCII", get("/v1/pets", "Authorization: Bearer schlüssel\r\n"), 401, "invalid_api_key"],
  ["a target in absolute form", get("http://other.example/v1/pets"), 200],
  ["a target in absolute form without a path", get("http://other.example?x"), 404, "route_not_found"],
  ["OPTIONS *", head("OPTIONS", "*"), 404, "route_not_found"],
  ["CONNECT with an authority", head("CONNECT", "evil.example:80"), 404, "route_not_found"],
  ["a target that begins with two slashes", get("//evil.example/v1/pets"), 404, "route_not_found"],
  ["a target with dot segments", get("/v1/../v1/pets"), 404, "route_not_found"],
  ["a target with encoded dot segments", get("/v1/%2e%2e/v1/pets"), 404, "route_not_found"],
  ["a path beyond ASCII that is not encoded", get("/v1/pets/é"), 404, "pet_not_found"],
  ["a path of 60,000 characters", get(`/v1/${"a".repeat(60_000)}`), 404, "route_not_found"],
  ["an invalid Host header", get("/v1/pets", `Host: a b/c?d#@e\r\n${AUTHORIZATION}`), 404, "route_not_found"],
  ["an unclosed bracket as Host", get("/v1/pets", `Host: [\r\n${AUTHORIZATION}`), 200],
  ["no Host header", get("/v1/pets", AUTHORIZATION), 200],
  ["HTTP/1.0", get("/v1/pets", HEADERS, "1.0"), 200],
  ["HTTP/1.0 without Host", get("/v1/pets", AUTHORIZATION, "1.0"), 200],
  ["a header value that is not ASCII", latin(get("/v1/pets", `${HEADERS}X: éÿ\r\n`)), 200],
  [
    "a key in Latin-1",
    latin(get("/v1/pets", "Authorization: Bearer éÿ\r\n")),
    401,
    "invalid_api_key",
  ],
  ...REFUSED_METHODS.map((method): Case => [
    `method ${method.slice(0, 12)}`,
    head(method, "/v1/pets"),
    405,
    "method_not_allowed",
  ]),
]);
