/**
 * Sends random requests, right and wrong, to a petstore on a store, and compares every response
 * with what a model of the service predicts, and with the description. fast-check draws the
 * requests, and shortens a sequence that was answered wrongly.
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

export interface Extent {
  sequences: number;
  seed: number;
}

const validate = createResponseValidator(openApiOf(LIMITS), "/v1");

/** Fails with the shortest sequence of requests, sent to an empty store, that shows a wrong response. */
export async function fuzz(kind: StoreKind, { sequences, seed }: Extent): Promise<void> {
  const property = fc.asyncProperty(SEQUENCES, (steps) => runSequence(kind, steps));
  await fc.assert(property, { seed, numRuns: sequences, includeErrorInReport: true });
}

/** Sends a sequence to an empty petstore, which may not tell its operator of a failure. */
async function runSequence(kind: StoreKind, steps: readonly Step[]): Promise<void> {
  await withNamespace(kind, async ({ open, second }) => {
    const failures: ErrorInfo[] = [];
    const settings = { keys: [KEY], ...LIMITS, onError: (info: ErrorInfo) => failures.push(info) };
    // Where stores can share the pets, two servers take turns. Each must show what the other has added.
    const store = await open();
    const stores = [store, await second(store)];
    const handles = stores.map((store) => createPetstore({ ...settings, store, requestIds: "none" }).handle);
    const model = new Model(), memory = new Memory();
    for (const [turn, step] of steps.entries()) {
      const resolved = memory.resolve(step);
      const request = createRequest(resolved), { method } = request, target = request.url.slice(ORIGIN.length);
      const { status, headers, body } = await handles[turn % 2]!(request);
      const response = { status, headers, text: await new Response(body).text() };
      validate(method, target.replace(/[?#].*$/s, ""), response);
      compare(method, model.predict({ ...resolved, method, target }), response, model);
      memory.learn(resolved, response);
    }
    assert.deepEqual(failures, [], "Something unforeseen was told to the operator");
  });
}

/** Compares a response with its prediction. */
function compare(method: string, foretold: Prediction, { status, headers, text }: SeenResponse, model: Model): void {
  const { code, representation } = foretold;
  assert.equal(status, foretold.status, `${code}: ${text}`);
  for (const name of FORETOLD_HEADERS) assert.equal(headers.get(name), foretold.headers[name] ?? null, name);
  const tag = headers.get("etag");
  if (representation === undefined) assert.equal(tag, null);
  else learnTag(model.tags, representation, tag);
  if (method === "HEAD" || status === 204 || status === 304) assert.equal(text, "");
  else if (code !== undefined) assert.equal(JSON.parse(text).code, code);
  else assert.equal(text, foretold.body);
}

/** Records the tag of a content, a weak one. Each content must have one tag, and each tag one content. */
function learnTag(tags: Map<string, string>, content: string, tag: string | null): void {
  assert.match(String(tag), /^W\/"[^"]+"$/);
  assert.equal(tag, tags.get(content) ?? tag, "The same content has two entity tags");
  tags.set(content, tag!);
  assert.equal(new Set(tags.values()).size, tags.size, `The entity tag ${tag} stands for two contents`);
}
