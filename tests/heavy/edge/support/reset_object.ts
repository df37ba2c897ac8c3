/**
 * The Worker of workers/object, whose object can be reset in the middle of a request, as Cloudflare
 * does for new code or after a failure.
 */

import worker, { PetsObject as Original } from "../workers/object/worker.ts";

type State = ConstructorParameters<typeof Original>[0] & { abort(reason: string): void };

export class PetsObject extends Original {
  readonly #state: State;

  constructor(state: State) {
    super(state);
    this.#state = state;
  }

  override async fetch(request: Request): Promise<Response> {
    const when = request.headers.get("reset");
    if (when === "before") this.#state.abort("The object is reset");
    const response = await super.fetch(request);
    if (when === "after") this.#state.abort("The object is reset");
    return response;
  }
}

export default worker;
