/** From a URL to a route and its parameters: query strings, unusual URLs, percent-escapes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeQuery, queryValues, splitQuery, splitTarget, targetOf } from "../../lib/http/request_text.ts";
import type { Operation } from "../../lib/http/operation.ts";
import { createRouter } from "../../lib/http/router.ts";

/** The values of `limit`; undefined if one cannot be decoded. */
const QUERIES: [query: string, values: (string | undefined)[]][] = [
  ["", []],
  ["limit=5", ["5"]],
  ["a=1&limit=5&b=2", ["5"]],
  ["limit", [""]],
  ["limit=", [""]],
  ["limit&a=5", [""]],
  ["a=limit", []],
  ["limits=5&xlimit=6&lim=7&Limit=8", []],
  ["&&limit=5&&", ["5"]],
  ["limit=5=6", ["5=6"]],
  ["%6Cimit=5", ["5"]],
  ["%6Dimit=5&li06Dit=5", []],
  ["l%69mit=5&limit=5", ["5", "5"]],
  ["limit=5&a=1&limit=5", ["5", "5"]],
  ["limit=&limit=", ["", ""]],
  ["limit&limit", ["", ""]],
  ["limit=%zz&limit=5", [undefined, "5"]],
  ["limit=a+b%2B%26%C3%A9", ["a b+&é"]],
  ["limit=%zz", [undefined]],
  ["limit=%", [undefined]],
  ["limit=%ff", [undefined]],
  ["%zz=1&limit=5", ["5"]],
  ["=5&limit=6", ["6"]],
  ["limit%3D5", []],
  ["%6=5&% 6c=5&%+6cimit=5&%0x6cimit=5&%6cimi%74=7", ["7"]],
];

test("queryValues() finds every value of a parameter, however its name is written", () => {
  for (const [query, values] of QUERIES) {
    assert.deepEqual(queryValues(splitQuery(query), "limit").map(decodeQuery), values, query);
  }
});

const URLS: [url: string, path: string, query: string][] = [
  ["http://h/", "/", ""],
  ["http://h:8000/v1/pets?limit=5", "/v1/pets", "limit=5"],
  ["http://h/v1/pets?", "/v1/pets", ""],
  ["http://h/v1/pets?a=?&b=/c://d", "/v1/pets", "a=?&b=/c://d"],
  ["http://h/v1/pets?a#?b", "/v1/pets", "a"],
  ["http://h/v1/pets#f?a=b", "/v1/pets", ""],
  ["http://h//v1//pets", "//v1//pets", ""],
  ["http://h/a://b/c", "/a://b/c", ""],
  ["http://u:p@[::1]:8000/v1", "/v1", ""],
  ["http://h", "", ""],
  ["http://h*", "", ""],
  ["http://h?a=b", "", ""],
  ["http://h?a=/v1/pets", "", ""],
  ["http://h#/v1/pets", "", ""],
  ["*", "", ""],
  ["app://h/v1/pets", "/v1/pets", ""],
  ["/v1/pets?limit=1", "/v1/pets", "limit=1"],
  ["/12345678/v1/pets", "/12345678/v1/pets", ""],
  ["/a?b=http://h/v1/pets", "/a", "b=http://h/v1/pets"],
  ["http://h?x=/v1/pets", "", ""],
  ["", "", ""],
];

test("targetOf() and splitTarget() find the path and the query of a URL", () => {
  for (const [url, path, query] of URLS) {
    const target = splitTarget(targetOf(url));
    assert.equal(target.path, path, url);
    // The query of a target without a path is never read.
    if (path !== "") assert.equal(target.query, query, url);
  }
});

const PATHS: [path: string, route: string | undefined, parameter?: string][] = [
  ["/v1/pets", "/pets", ""],
  ["/v1/store/orders", "/store/orders", ""],
  ["/v1/pets/7", "/pets/{petId}", "7"],
  ["/v1/pets/abc-._~", "/pets/{petId}", "abc-._~"],
  ["/v1/%70ets", "/pets", ""],
  ["/%76%31/%70%65ts/7", "/pets/{petId}", "7"],
  ["/v1/pets/%37", "/pets/{petId}", "7"],
  ["/v1/%70ets/%37", "/pets/{petId}", "7"],
  ["/v1/pets/7%2F8", "/pets/{petId}", "7%2F8"],
  ["/v1/pets/%2f", "/pets/{petId}", "%2f"],
  ["/v1/pets/%zz", "/pets/{petId}", "%zz"],
  ["/v1/pets/%ff", "/pets/{petId}", "%ff"],
];
const NO_ROUTE =
  "/v1/pets%2F7 /v1%2Fpets /v1/store%2Forders /v1/%zzpets /v1/pets/ /v1/pets/7/ /v1/pets/7/8 /v1//pets " +
  "//v1/pets /v1/Pets /v1/petsx /v1/{petId} /pets /v1 / /v1constructor";
for (const path of ["", ...NO_ROUTE.split(" ")]) PATHS.push([path, undefined]);

const OPERATIONS = ["/v1/pets", "/v1/pets/{petId}", "/v1/store/orders"].map((path): Operation => {
  return {
    method: "GET",
    path,
    access: "key",
    effect: "reads",
    handler: () => ({ status: 200, headers: {}, body: null }),
  };
});

test("a router leads each path to its route, percent-encoded or not, and no other path", () => {
  for (const [path, route, parameter] of PATHS) {
    const match = createRouter(OPERATIONS)("GET", `${path}?limit=1`);
    assert.deepEqual([match?.route.path, match?.parameter], [route && `/v1${route}`, parameter], path);
    if (match) assert.equal(match.query, "limit=1");
  }
});
