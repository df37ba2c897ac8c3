/**
 * Sends random requests, right and wrong, to a petstore on each store, and compares every response with what a model of the service
 * predicts, with the description, and with the responses of the other stores. fast-check draws the requests, and shortens a sequence
 * that was answered wrongly.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { createPetstore, type ErrorInfo } from "../../../mod.ts";
import { withNamespace } from "../../../packages/conformance/lib/fixture.ts";
import { openApiOf } from "../../../tests/support/descriptions.ts";
import { createResponseValidator, type SeenResponse } from "../../../tests/support/openapi_validator.ts";
import type { StoreKind } from "../../../tests/support/stores.ts";
import { FORETOLD_HEADERS, KEY, LIMITS, Model, type Prediction } from "./model.ts";
import { createRequest, Memory, ORIGIN, SEQUENCES, type Step } from "./requests.ts";

type Handle = (request: Request) => Promise<Response>;

export interface Extent {
  sequences: number;
  seed: number;
}

const validate = createResponseValidator(openApiOf(LIMITS), "/v1");

/** Fails with the shortest sequence of requests, sent to empty stores, that shows a wrong response. */
export async function fuzz(kinds: readonly StoreKind[], { sequences, seed }: Extent): Promise<void> {
  const property = fc.asyncProperty(
    SEQUENCES,
    (steps) => withPetstores(kinds, (handles) => runSequence(steps, handles)),
  );
  await fc.assert(property, { seed, numRuns: sequences, includeErrorInReport: true });
}

/** Runs with an empty petstore on each store, none of which may tell its operator of a failure. */
async function withPetstores(
  [kind, ...rest]: readonly StoreKind[],
  run: (handles: readonly Handle[]) => Promise<void>,
): Promise<void> {
  if (kind === undefined) return await run([]);
  await withNamespace(kind, async ({ open }) => {
    const failures: ErrorInfo[] = [];
    const settings = { keys: [KEY], ...LIMITS, onError: (info: ErrorInfo) => failures.push(info) };
    // Where stores can share the pets, two servers take turns. Each must show what the other has added.
    const stores = kind.sharing === "none" ? [await open()] : [await open(), await open()];
    const handles = stores.map((store) => createPetstore({ ...settings, store, requestIds: "none" }).handle);
    let turn = 0;
    const handle: Handle = (request) => handles[turn++ % handles.length]!(request);
    await withPetstores(rest, (others) => run([handle, ...others]));
    assert.deepEqual(failures, [], "Something unforeseen was told to the operator");
  });
}

async function runSequence(steps: readonly Step[], handles: readonly Handle[]): Promise<void> {
  const model = new Model(), memory = new Memory();
  for (const step of steps) {
    const resolved = memory.resolve(step);
    memory.learn(resolved, await exchange(resolved, handles, model));
  }
}

/** Sends a request to each store, and compares what comes. */
async function exchange(step: Step, handles: readonly Handle[], model: Model): Promise<SeenResponse> {
  const { method, url } = createRequest(step), target = url.slice(ORIGIN.length);
  const responses: SeenResponse[] = [];
  for (const handle of handles) {
    const { status, headers, body } = await handle(createRequest(step));
    const response = { status, headers, text: await new Response(body).text() };
    validate(method, target.replace(/[?#].*$/s, ""), response);
    responses.push(response);
  }
  const [response, ...others] = responses as [SeenResponse, ...SeenResponse[]];
  for (const other of others) assert.deepEqual(partsOf(other), partsOf(response), "The stores disagree");
  compare(method, model.predict({ ...step, method, target }), response, model);
  return response;
}

/** What `assert` can compare. */
function partsOf({ status, headers, text }: SeenResponse): unknown[] {
  return [status, [...headers].filter(([name]) => name !== "date"), text];
}

/** Compares a response with its prediction. */
function compare(method: string, foretold: Prediction, { status, headers, text }: SeenResponse, model: Model): void {
  const { code, representation } = foretold;
  assert.equal(status, foretold.status, `${code}: ${text}`);
  for (const name of FORETOLD_HEADERS) assert.equal(headers.get(name), foretold.headers[name] ?? null, name);
  if (representation === undefined) assert.equal(headers.get("etag"), null);
  else model.tags.learn(representation, headers.get("etag"));
  if (method === "HEAD" || status === 204 || status === 304) assert.equal(text, "");
  else if (code !== undefined) assert.equal(JSON.parse(text).code, code);
  else assert.equal(text, foretold.body);
}
