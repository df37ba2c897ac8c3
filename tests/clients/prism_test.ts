/** The responses that Prism makes itself, which some cases of the contract cannot pass, and its int64. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { withDenoServe } from "../support/http/deno_serve.ts";
import type { SeenResponse } from "../support/openapi_validator.ts";
import { fetchDescription, KEY, withServer } from "./support/service.ts";
import { withPrism } from "./support/tools.ts";

const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
const JUST_RESPONSES = ["--validate-request", "false"];

/** A server and a Prism in front of it, each asked by `fetch`. */
function withBoth(args: string[], use: (direct: Ask, throughPrism: Ask) => Promise<void>): Promise<void> {
  return withServer(async (service) => {
    const path = await fetchDescription(service, "prism.json");
    await withPrism(service.base, args, (address) => use(createAsk(service.base), createAsk(address)), path);
  });
}

type Ask = (path: string, init?: RequestInit) => Promise<SeenResponse>;

function createAsk(base: string): Ask {
  return async (path, init) => {
    const response = await fetch(base + path, { headers: HEADERS, ...init });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

function create(categoryId: string): RequestInit {
  return { method: "POST", body: `{"name":"Max","categoryId":${categoryId}}` };
}

test("Prism refuses to create a pet whose int64 a JavaScript number cannot hold", () =>
  withBoth([], async (direct, throughPrism) => {
    for (const categoryId of ["9223372036854775807", "-9223372036854775808", "9007199254740992"]) {
      assert.equal((await direct("/pets", create(categoryId))).status, 201);
      const { status, text } = await throughPrism("/pets", create(categoryId));
      assert.equal(status, 422);
      assert.match(text, /categoryId must be [<>]= -?9007199254740991/);
    }
    assert.equal((await throughPrism("/pets", create("9007199254740991"))).status, 201);
  }));

test("Prism refuses a response with such a pet, for a list and for one pet", () =>
  withBoth([], async (direct, throughPrism) => {
    const { text } = await direct("/pets", create("9223372036854775807"));
    for (const path of ["/pets", `/pets/${JSON.parse(text).id}`]) {
      assert.match((await direct(path)).text, /"categoryId":9223372036854775807,/);
      const refused = await throughPrism(path);
      assert.equal(refused.status, 500);
      assert.match(refused.text, /VIOLATIONS.*categoryId must be <= 9007199254740991/);
    }
  }));

test("Prism rewrites the body of a request, and rounds numbers beyond 2^53", () =>
  withBoth(JUST_RESPONSES, async (direct, throughPrism) => {
    // Rounded to 2^63, which is not an int64.
    const { status, text } = await throughPrism("/pets", create("9223372036854775807"));
    assert.equal(status, 400);
    assert.match(text, /not 9223372036854776000/);
    await throughPrism("/pets", create("9007199254740993"));
    assert.match((await direct("/pets")).text, /"categoryId":9007199254740992,/);
  }));

test("Prism itself answers an undescribed method, a request without a key, and a request whose response is 501", () =>
  withBoth(JUST_RESPONSES, async (direct, throughPrism) => {
    assert.equal((await direct("/pets", { method: "HEAD" })).status, 200);
    assert.equal((await throughPrism("/pets", { method: "HEAD" })).status, 405);
    assert.match((await direct("/pets", { headers: {} })).text, /missing_api_key/);
    assert.match((await throughPrism("/pets", { headers: {} })).text, /prism\/errors#UNAUTHORIZED/);
    assert.equal((await direct("/store/orders")).status, 501);
    // The first failure that the description has for the operation.
    assert.match((await throughPrism("/store/orders")).text, /invalid_host/);
  }));

test("Prism finds an undescribed status and a wrong body", () =>
  withServer(async (service) => {
    const path = await fetchDescription(service, "prism.json");
    const PETS = [{ id: 1, name: "Rex", categoryId: "7", status: "sold" }];
    const answerWrong = ({ method }: Request) =>
      Promise.resolve(method === "POST" ? Response.json({}, { status: 418 }) : Response.json(PETS));
    await withDenoServe(answerWrong, (port) =>
      withPrism(`http://127.0.0.1:${port}`, [], async (address) => {
        const ask = createAsk(address);
        assert.match((await ask("/pets", create("7"))).headers.get("sl-violations") ?? "", /status code/);
        assert.match((await ask("/pets")).text, /VIOLATIONS.*categoryId must be integer/);
      }, path));
  }));
