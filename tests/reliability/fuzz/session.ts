import type { SeenResponse } from "../../support/openapi_validator.ts";
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
  await ground.use(async (handles, findFailure) => {
    const session = new Session(ground, handles, findFailure, tally);
    for (const step of steps) await session.run(step);
  });
}

class Session {
  readonly #ground: Ground;
  readonly #handles: readonly Handle[];
  readonly #findFailure: () => unknown;
  readonly #tally: Tally;
  readonly #tags = new EntityTags();
  readonly #model: Model;
  readonly #memory = new Memory();
  readonly #sent: Step[] = [];

  constructor(ground: Ground, handles: readonly Handle[], findFailure: () => unknown, tally: Tally) {
    this.#model = new Model(ground.settings, this.#tags);
    this.#ground = ground;
    this.#handles = handles;
    this.#findFailure = findFailure;
    this.#tally = tally;
  }

  async run(step: Step): Promise<void> {
    let response = await this.#exchange(this.#memory.resolve(step));
    while (step.isWalk) {
      const next = /<(.*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      if (next === undefined) return;
      response = await this.#exchange({ ...step, target: next });
    }
  }

  async #exchange(step: Step): Promise<SeenResponse> {
    this.#sent.push(step);
    const { method, url } = createRequest(this.#ground.origin, step);
    const target = url.slice(this.#ground.origin.length);
    const received: ModelRequest = { method, target, headers: step.headers, body: step.body ?? new Uint8Array() };
    const responses: SeenResponse[] = [];
    for (const handle of this.#handles) {
      responses.push(await this.#ask(handle, step, received).catch((error) => this.#fail(String(error))));
    }
    const [response, ...others] = responses as [SeenResponse, ...SeenResponse[]];
    const found = findDifferences(method, this.#model.predict(received), response, this.#tags);
    found.push(...others.flatMap((other) => findDisagreement(response, other)));
    if (found.length > 0) this.#fail(found.join("\n"));
    const failure = this.#findFailure();
    if (failure !== undefined) this.#fail(`something unforeseen was told to the operator: ${failure}`);
    this.#memory.learn(step, response);
    this.#tally.add(response);
    return response;
  }

  /** A response that the description has. */
  async #ask(handle: Handle, step: Step, { method, target }: ModelRequest): Promise<SeenResponse> {
    const { origin, validate } = this.#ground;
    const sent = await handle(createRequest(origin, step));
    const response = { status: sent.status, headers: sent.headers, text: await sent.text() };
    validate(method, target.replace(/[?#].*$/s, ""), response);
    return response;
  }

  #fail(problem: string): never {
    throw new Mismatch(problem, [...this.#sent]);
  }
}
