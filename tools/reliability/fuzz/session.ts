import type { SeenResponse } from "../../../tests/support/openapi_validator.ts";
import { findDifferences, findDisagreement } from "./compare.ts";
import { EntityTags } from "./entity_tags.ts";
import type { Ground, Handle } from "./ground.ts";
import { Model } from "./model.ts";
import type { ModelRequest } from "./prediction.ts";
import { createRequest, Memory, type Step } from "./request.ts";
import type { Tally } from "./tally.ts";

export class Mismatch extends Error {
  /** Every request up to the wrongly answered one. */
  readonly sent: readonly Step[];

  constructor(problem: string, sent: readonly Step[]) {
    super(problem);
    this.sent = sent;
  }
}

/** Throws a {@link Mismatch} at the first response that is wrong. */
export async function runSequence(steps: readonly Step[], ground: Ground, tally: Tally): Promise<void> {
  const tags = new EntityTags(), model = new Model(ground.settings, tags), memory = new Memory();
  const sent: Step[] = [];

  async function exchange(handles: readonly Handle[], findFailure: () => unknown, step: Step): Promise<SeenResponse> {
    sent.push(step);
    const { method, url } = createRequest(ground.origin, step);
    const target = url.slice(ground.origin.length);
    const received: ModelRequest = { method, target, headers: step.headers, body: step.body ?? new Uint8Array() };
    const responses: SeenResponse[] = [];
    for (const handle of handles) {
      responses.push(await ask(handle, step, ground, received).catch((error) => fail(String(error))));
    }
    const [response, ...others] = responses as [SeenResponse, ...SeenResponse[]];
    const found = findDifferences(method, model.predict(received), response, tags);
    found.push(...others.flatMap((other) => findDisagreement(response, other)));
    if (found.length > 0) fail(found.join("\n"));
    const failure = findFailure();
    if (failure !== undefined) fail(`something unforeseen was told to the operator: ${failure}`);
    memory.learn(step, response);
    tally.add(response);
    return response;
  }

  function fail(problem: string): never {
    throw new Mismatch(problem, [...sent]);
  }

  await ground.use(async (handles, findFailure) => {
    for (const step of steps) {
      let next: Step | undefined = memory.resolve(step);
      while (next) next = following(step, await exchange(handles, findFailure, next));
    }
  });
}

/** The request for the next page, of a step that walks. */
function following(step: Step, { headers }: SeenResponse): Step | undefined {
  const target = step.isWalk && /<(.*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
  return target ? { ...step, target } : undefined;
}

/** A response that the description has. */
async function ask(
  handle: Handle,
  step: Step,
  ground: Ground,
  { method, target }: ModelRequest,
): Promise<SeenResponse> {
  const sent = await handle(createRequest(ground.origin, step));
  const response = { status: sent.status, headers: sent.headers, text: await sent.text() };
  ground.validate(method, target.replace(/[?#].*$/s, ""), response);
  return response;
}
