/**
 * From a URL to its path and its query. Hosts and apps give URLs that no parser has normalized. The HTTP contract has routes, parameters and
 * percent-escapes.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { splitTarget, targetOf } from "../../lib/http/request_text.ts";

const URLS: [url: string, path: string, query: string][] = [
  ["http://h/v1/pets?", "/v1/pets", ""],
  ["http://h/v1/pets?a=?&b=/c://d", "/v1/pets", "a=?&b=/c://d"],
  ["http://h/v1/pets#f?a=b", "/v1/pets", ""],
  ["http://h/a://b/c", "/a://b/c", ""],
  ["http://h", "", ""],
  ["http://h?a=/v1/pets", "", ""],
  ["*", "", ""],
  ["app://h/v1/pets", "/v1/pets", ""],
  ["/v1/pets?limit=1", "/v1/pets", "limit=1"],
  ["/a?b=http://h/v1/pets", "/a", "b=http://h/v1/pets"],
];

test("targetOf() and splitTarget() find the path and the query of a URL", () => {
  for (const [url, path, query] of URLS) {
    const target = splitTarget(targetOf(url));
    assert.equal(target.path, path, url);
    // The query of a target without a path is never read.
    if (path !== "") assert.equal(target.query, query, url);
  }
});
