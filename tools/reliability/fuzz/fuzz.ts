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
import { EntityTags, findDifferences, findDisagreement } from "./compare.ts";
import { SEQUENCES } from "./generators/steps.ts";
import { KEY, LIMITS, Model } from "./model.ts";
import { createRequest, Memory, ORIGIN, type Step } from "./request.ts";

type Handle = (request: Request) => Promise<Response>;

/** How many responses had each status and code. */
export type Responses = ReadonlyMap<string, number>;

export interface Extent {
  sequences: number;
  seed: number;
}

const validate = createResponseValidator(openApiOf(LIMITS), "/v1");

/** Fails with the shortest sequence of requests, sent to empty stores, that shows a wrong response. */
export async function fuzz(
  kinds: readonly StoreKind[],
  { sequences, seed }: Extent,
): Promise<Responses> {
  const responses = new Map<string, number>();
  const property = fc.asyncProperty(SEQUENCES, (steps) =>
    withPetstores(kinds, async (handles) => {
      for (const response of await runSequence(steps, handles)) {
        const kind = kindOf(response);
        responses.set(kind, (responses.get(kind) ?? 0) + 1);
      }
    }));
  await fc.assert(property, { seed, numRuns: sequences, includeErrorInReport: true });
  return responses;
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

async function runSequence(steps: readonly Step[], handles: readonly Handle[]): Promise<SeenResponse[]> {
  const tags = new EntityTags(), model = new Model(tags), memory = new Memory();
  const seen: SeenResponse[] = [];
  for (const step of steps) {
    for (let next: Step | undefined = memory.resolve(step); next !== undefined;) {
      const response = await exchange(next);
      memory.learn(next, response);
      seen.push(response);
      const following = step.isWalk && /<(.*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      next = following ? { ...step, target: following } : undefined;
    }
  }
  return seen;

  async function exchange(step: Step): Promise<SeenResponse> {
    const { method, url } = createRequest(step), target = url.slice(ORIGIN.length);
    const responses: SeenResponse[] = [];
    for (const handle of handles) {
      const response = await readWhole(await handle(createRequest(step)));
      validate(method, target.replace(/[?#].*$/s, ""), response);
      responses.push(response);
    }
    const [response, ...others] = responses as [SeenResponse, ...SeenResponse[]];
    const found = findDifferences(method, model.predict({ ...step, method, target }), response, tags);
    found.push(...others.flatMap((other) => findDisagreement(response, other)));
    if (found.length > 0) assert.fail(found.join("\n"));
    return response;
  }
}

async function readWhole(response: Response): Promise<SeenResponse> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function kindOf({ status, headers, text }: SeenResponse): string {
  // The response to HEAD has no code.
  const code = status >= 400 ? /"code":"(\w+)"/.exec(text)?.[1] : undefined;
  return `${status} ${code ?? (headers.has("idempotency-replayed") ? "replayed" : "")}`.trimEnd();
}
