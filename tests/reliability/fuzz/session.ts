import type { ErrorInfo } from "../../../mod.ts";
import { openApiOf } from "../../support/descriptions.ts";
import { createPetstore } from "../../../mod.ts";
import { createResponseValidator, type SeenResponse } from "../../support/openapi_validator.ts";
import { type StoreKind, withStore } from "../../support/stores.ts";
import { findDifferences, findDisagreement } from "./compare.ts";
import { EntityTags } from "./entity_tags.ts";
import { connectInProcess, type Connection, type Exchange, type Handle } from "./host.ts";
import { Model, type ModelSettings } from "./model.ts";
import { type Draft, type Malformed, Memory, type Step } from "./request.ts";
import { KEY, MAX_BODY_BYTES, STANDALONE } from "./settings.ts";
import type { StandaloneServer } from "./standalone.ts";
import type { Tally } from "./tally.ts";

/** What a search is for: a petstore on each store, or a standalone server. */
export type Ground = (Petstores | Standalone) & { tally: Tally };

interface Petstores {
  stores: readonly StoreKind[];
  /** Wraps the petstore in a defect that is to be found. */
  wrap?: (handle: Handle) => Handle;
}

interface Standalone {
  server: StandaloneServer;
}

export class Mismatch extends Error {
  /** Every request up to the wrongly answered one. */
  readonly sent: readonly Step[];

  constructor(problem: string, sent: readonly Step[]) {
    super(problem);
    this.sent = sent;
  }
}

const LIMITS = { maxBodyBytes: MAX_BODY_BYTES };
const VALIDATE = createResponseValidator(openApiOf(LIMITS), "/v1");

/** Throws a {@link Mismatch} at the first response that is wrong. */
export async function runSequence(steps: readonly Step[], ground: Ground): Promise<void> {
  const send = async (session: Session) => {
    for (const step of steps) await session.run(step);
  };
  if ("stores" in ground) {
    await withPetstores(ground, ground.stores, [], async (connections, failures) => {
      await send(new Session({ key: KEY, ...LIMITS }, connections, () => failures[0], ground.tally));
    });
  } else {
    const connection = ground.server.connect();
    try {
      await send(new Session(STANDALONE, [connection], () => ground.server.errors || undefined, ground.tally));
    } finally {
      connection.close();
    }
  }
}

/** Opens a petstore on each store, and always closes them. */
async function withPetstores(
  { wrap = (handle) => handle, stores }: Petstores,
  [store, ...rest]: readonly StoreKind[],
  open: Connection[],
  use: (connections: Connection[], failures: unknown[]) => Promise<void>,
  failures: unknown[] = [],
): Promise<void> {
  if (store === undefined) return await use(open, failures);
  await withStore(store, async (petStore) => {
    const onError = ({ error }: ErrorInfo) => failures.push(error);
    const { handle } = createPetstore({ keys: [KEY], store: petStore, ...LIMITS, onError });
    const connection = connectInProcess(wrap(handle), VALIDATE);
    try {
      await withPetstores({ wrap, stores }, rest, [...open, connection], use, failures);
    } finally {
      connection.close();
    }
  });
}

class Session {
  readonly #connections: readonly Connection[];
  readonly #findFailure: () => unknown;
  readonly #tally: Tally;
  readonly #tags = new EntityTags();
  readonly #model: Model;
  readonly #memory = new Memory();
  readonly #sent: Step[] = [];

  /** @param findFailure Returns what the operator was told, if anything. */
  constructor(
    settings: ModelSettings,
    connections: readonly Connection[],
    findFailure: () => unknown,
    tally: Tally,
  ) {
    this.#model = new Model(settings, this.#tags);
    this.#connections = connections;
    this.#findFailure = findFailure;
    this.#tally = tally;
  }

  async run(step: Step): Promise<void> {
    if ("bytes" in step) return await this.#provoke(step);
    let response = await this.#exchange(this.#memory.resolve(step));
    while (step.isWalk) {
      const next = /<(.*)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      if (next === undefined) return;
      response = await this.#exchange({ ...step, target: next });
    }
  }

  async #exchange(draft: Draft): Promise<SeenResponse> {
    this.#sent.push(draft);
    const exchanges: Exchange[] = [];
    for (const connection of this.#connections) {
      exchanges.push(await connection.exchange(draft).catch((error) => this.#fail(String(error))));
    }
    const [{ received, response }, ...others] = exchanges as [Exchange, ...Exchange[]];
    const found = findDifferences(received.method, this.#model.predict(received), response, this.#tags);
    found.push(...others.flatMap((other) => findDisagreement(response, other.response)));
    if (found.length > 0) this.#fail(found.join("\n"));
    const failure = this.#findFailure();
    if (failure !== undefined) this.#fail(`something unforeseen was told to the operator: ${failure}`);
    this.#memory.learn(draft, response);
    this.#tally.add(response);
    return response;
  }

  /** Malformed bytes get 400 or a closed connection. A lenient host may give a harmless response. */
  async #provoke(malformed: Malformed): Promise<void> {
    this.#sent.push(malformed);
    const responses: (SeenResponse | undefined)[] = [];
    for (const connection of this.#connections) {
      responses.push(await connection.provoke(malformed).catch((error) => this.#fail(String(error))));
    }
    for (const response of responses) {
      if (response && (response.status >= 500 || response.status === 201)) {
        this.#fail(`${malformed.what}: ${response.status}`);
      }
    }
    this.#tally.addMalformed(responses[0]);
  }

  #fail(problem: string): never {
    throw new Mismatch(problem, [...this.#sent]);
  }
}
