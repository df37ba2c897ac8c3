/** The Link header of RFC 8288, as petstores and their proxies write it. */

import assert from "node:assert/strict";
import test from "node:test";
import { linkTo } from "../lib/link.ts";

const LINKS: [field: string, target: string | undefined][] = [
  ['</v1/pets?cursor=x>; rel="next"', "/v1/pets?cursor=x"],
  ["</a>; rel=next", "/a"],
  ['</a> ; title="b, c" ; REL="prev next"', "/a"],
  ['</a>; rel="prev", </b,c>; rel="next"; title="d", </e>; rel="next"', "/b,c"],
  ["</a>; rel=prev,</b>; rel=next, </c>; rel=last", "/b"],
  ['</a; rel="next"', undefined],
  ['</a>; rel="nextpage"', undefined],
  ['</next>; rel="prev"; title="next"', undefined],
  ["", undefined],
];

test("the next page of a Link is the target of the first link with that relation", () => {
  for (const [field, target] of LINKS) assert.equal(linkTo(new Headers({ link: field }), "next"), target, field);
  assert.equal(linkTo(new Headers(), "next"), undefined);
});
