import { createOpenApi, createPetstore } from "../../../mod.ts";
import { createResponseValidator, type SeenResponse } from "../../support/openapi_validator.ts";
import type { StoreKind } from "../../support/stores.ts";
import { findDifferences, findDisagreement } from "./compare.ts";
import { EntityTags } from "./entity_tags.ts";
import type { Connection, Exchange, Handle, Host } from "./host.ts";
import { Model } from "./model.ts";
import { type Draft, type Malformed, Memory, type Step } from "./request.ts";
import { KEY, MAX_BODY_BYTES } from "./settings.ts";
import type { Tally } from "./tally.ts";

export interface Ground {
  host: Host;
  stores: readonly StoreKind[];
  tally: Tally;
  /** Wraps the petstore in a defect that is to be found. */
  wrap?: (handle: Handle) => Handle;
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
const VALIDATE = createResponseValidator(createOpenApi(LIMITS), "/v1");

/** Throws a {@link Mismatch} at the first answer that is wrong. */
export async function runSequence(steps: readonly Step[], ground: Ground): Promise<void> {
  await withConnections(ground, ground.stores, [], async (connections, failures) => {
    const session = new Session(connections, failures, ground.tally);
    for (const step of steps) await session.run(step);
  });
}

/** Opens a petstore on each store, and always closes them. */
async function withConnections(
  { host, wrap = (handle) => handle, ...ground }: Ground,
  [store, ...rest]: readonly StoreKind[],
  open: Connection[],
  use: (connections: Connection[], failures: unknown[]) => Promise<void>,
  failures: unknown[] = [],
): Promise<void> {
  if (store === undefined) return await use(open, failures);
  await store.use(async (petStore) => {
    const onError = (error: unknown) => failures.push(error);
    const { handle } = createPetstore({ keys: [KEY], store: petStore, ...LIMITS, onError });
    const connection = await host.connect(wrap(handle), VALIDATE);
    try {
      await withConnections({ host, wrap, ...ground }, rest, [...open, connection], use, failures);
    } finally {
      await connection.close();
    }
  });
}

class Session {
  readonly #connections: readonly Connection[];
  readonly #failures: unknown[];
  readonly #tally: Tally;
  readonly #tags = new EntityTags();
  readonly #model = new Model({ key: KEY, ...LIMITS }, this.#tags);
  readonly #memory = new Memory();
  readonly #sent: Step[] = [];

  constructor(connections: readonly Connection[], failures: unknown[], tally: Tally) {
    this.#connections = connections;
    this.#failures = failures;
    this.#tally = tally;
  }

  async run(step: Step): Promise<void> {
    if ("bytes" in step) return await this.#provoke(step);
    let answer = await this.#exchange(this.#memory.resolve(step));
    while (step.isWalk) {
      const next = /<(.*)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
      if (next === undefined) return;
      answer = await this.#exchange({ ...step, target: next });
    }
  }

  async #exchange(draft: Draft): Promise<SeenResponse> {
    this.#sent.push(draft);
    const exchanges: Exchange[] = [];
    for (const connection of this.#connections) {
      exchanges.push(await connection.exchange(draft).catch((error) => this.#fail(String(error))));
    }
    const [{ received, answer }, ...others] = exchanges as [Exchange, ...Exchange[]];
    const found = findDifferences(received.method, this.#model.predict(received), answer, this.#tags);
    found.push(...others.flatMap((other) => findDisagreement(answer, other.answer)));
    if (found.length > 0) this.#fail(found.join("\n"));
    if (this.#failures.length > 0) this.#fail(`something unforeseen was told to the operator: ${this.#failures[0]}`);
    this.#memory.learn(draft, answer);
    this.#tally.add(answer);
    return answer;
  }

  /** Malformed bytes get 400 or a closed connection. A lenient host may give a harmless answer. */
  async #provoke(malformed: Malformed): Promise<void> {
    this.#sent.push(malformed);
    const answers: (SeenResponse | undefined)[] = [];
    for (const connection of this.#connections) {
      answers.push(await connection.provoke(malformed).catch((error) => this.#fail(String(error))));
    }
    for (const answer of answers) {
      if (answer && (answer.status >= 500 || answer.status === 201)) this.#fail(`${malformed.what}: ${answer.status}`);
    }
    this.#tally.addMalformed(answers[0]);
  }

  #fail(problem: string): never {
    throw new Mismatch(problem, [...this.#sent]);
  }
}
