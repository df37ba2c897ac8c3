/** Group commit: creates that arrive together share one atomic operation. */

import { MAX_NAME_LENGTH } from "../../pet.ts";
import { Batch } from "../batch.ts";
import { requireValid } from "../status_code.ts";
import {
  type IdempotentOutcome,
  type IdempotentRequest,
  type PetDraft,
  storeClosed,
  StoreUnavailableError,
} from "../store.ts";
import { fromJson } from "./bytes.ts";
import type { Kv, KvKey } from "./client.ts";
import { type CounterState, counterState, type Layout, type Remembered } from "./layout.ts";
import { type Create, knownRequests, Plan } from "./plan.ts";
import { Retries } from "./retries.ts";

/** How many remembered requests are examined for each new one. So about a fourth of them have expired. */
const EXAMINED = 4;

/** Commits creates in batches, one after the other. */
export class GroupCommit {
  readonly #kv: Kv;
  readonly #layout: Layout;
  /** Commits one batch at a time. A second commit would only fail the check of the counter. */
  readonly batch: Batch<Create>;
  /** The counter as this server last read or wrote it. While no other server commits, no read is needed. */
  #state: CounterState | undefined;
  /** Whether the running commit exceeds the time limit. Until KV has finished it, all creates are refused. */
  #isTimedOut = false;
  #onTimeout = () => {};
  readonly #server = crypto.randomUUID();
  /** How many commits were planned. */
  #count = 0;
  /** The remembered request that was examined last. Each server starts at a different one. */
  #lastExamined: string = this.#server;

  constructor(kv: Kv, layout: Layout) {
    this.#kv = kv;
    this.#layout = layout;
    const { maxCreates } = layout;
    this.batch = new Batch({
      resource: "Deno KV",
      choose: (waiting) => ({ chosen: waiting.slice(0, maxCreates), rest: waiting.slice(maxCreates) }),
      commit: (creates) => this.#settle(creates),
    });
  }

  /** Adds a pet, and resolves when it is committed. */
  add(pet: PetDraft, request?: IdempotentRequest): Promise<IdempotentOutcome> {
    return new Promise((resolve, reject) => {
      requireValid(pet);
      // KV limits the size of a commit.
      if (pet.name.length > 2 * MAX_NAME_LENGTH || [...pet.name].length > MAX_NAME_LENGTH) {
        throw new TypeError(`The name of a pet must have at most ${MAX_NAME_LENGTH} characters`);
      }
      if (this.#isTimedOut) throw this.#kv.timeoutError();
      this.batch.add({ pet, request, resolve, reject });
    });
  }

  /** Rejects if a create would fail. Commits like a create, but without a pet. */
  async probe(): Promise<void> {
    if (this.batch.isClosed) throw storeClosed();
    await this.readCounter();
    if (this.#isTimedOut) throw this.#kv.timeoutError();
    await this.#kv.withTimeout(() => this.#writeNothing());
  }

  async #writeNothing(): Promise<void> {
    const retries = new Retries(this.#kv.timeoutMs);
    for (;;) {
      const result = await this.#kv.commit((atomic) => atomic.set(this.#layout.probe, new Uint8Array()));
      if (typeof result === "string") return;
      if (!await retries.pause(result)) throw result;
    }
  }

  /** Accepts no more creates, and resolves when all are settled. */
  async close(): Promise<void> {
    const closed = this.batch.close();
    if (!this.#isTimedOut) await Promise.race([closed, new Promise<void>((resolve) => this.#onTimeout = resolve)]);
  }

  async readCounter(): Promise<CounterState> {
    const [counter, first] = await this.#kv.getMany([this.#layout.counter, this.#layout.pet(1n)]);
    // Otherwise the ids of the pets would be reused.
    if (counter!.value === null && first!.value !== null) {
      throw new StoreUnavailableError("The petstore's counter is missing in Deno KV, and there are pets");
    }
    return counterState(counter!);
  }

  async #settle(creates: readonly Create[]): Promise<void> {
    const timer = setTimeout(() => this.#timeOut(creates), this.#kv.timeoutMs);
    try {
      const outcomes = await this.#commit(creates);
      creates.forEach(({ resolve }, i) => resolve(outcomes[i]!));
    } catch (error) {
      for (const { reject } of creates) reject(error);
    } finally {
      clearTimeout(timer);
      this.#isTimedOut = false;
    }
  }

  /** Refuses all creates, because a commit exceeds the time limit. */
  #timeOut(creates: readonly Create[]): void {
    this.#isTimedOut = true;
    const error = this.#kv.timeoutError();
    for (const { reject } of [...creates, ...this.batch.waiting.splice(0)]) reject(error);
    this.#onTimeout();
  }

  /**
   * Retries until the creates are committed. A plan can be retried whatever the outcome of the first attempt: at most one attempt
   * is applied, because each needs the same version of the counter, and changes it.
   */
  async #commit(creates: readonly Create[]): Promise<IdempotentOutcome[]> {
    const retries = new Retries(this.#kv.timeoutMs);
    let state = this.#state ??= await this.readCounter();
    let plan = await this.#plan(creates, state);
    while (!plan.isEmpty) {
      // The creates have been refused already, and KV may have been closed.
      if (this.#isTimedOut) throw this.#kv.timeoutError();
      const failure = await this.#try(plan);
      if (!failure) break;
      // Before the counter is read, because the next attempt fails if another server commits between the two.
      const isInTime = await retries.pause(failure);
      const [counter, latest] = await this.#kv.getMany([this.#layout.counter, this.#layout.remembered(this.#server)]);
      state = counterState(counter!);
      const status = plan.status(state, fromJson<Remembered>(latest!.value));
      if (status === "applied") break;
      if (!isInTime) throw failure;
      if (status === "lost") plan = await this.#plan(creates, state);
    }
    return plan.outcomes;
  }

  /** Commits a plan. Returns an error unless KV confirms the commit. */
  async #try(plan: Plan): Promise<StoreUnavailableError | undefined> {
    this.#state = undefined;
    const result = await this.#kv.commit((atomic) => plan.write(atomic));
    if (typeof result !== "string") return result;
    this.#state = { last: plan.last, versionstamp: result };
    return undefined;
  }

  async #plan(creates: readonly Create[], state: CounterState): Promise<Plan> {
    const author = { server: this.#server, commit: String(this.#count++) };
    const keys = [...new Set(creates.flatMap(({ request }) => request?.key ?? []))];
    // A server remembers its last commit, so its first one counts as a request.
    const count = keys.length + (this.#count === 1 ? 1 : 0);
    const [entries, expired] = await Promise.all([
      this.#kv.getMany(keys.map((key) => this.#layout.remembered(key))),
      count > 0 ? this.#findExpired(count) : [],
    ]);
    return new Plan(this.#layout, creates, state, author, { known: knownRequests(keys, entries), expired });
  }

  /**
   * Finds expired entries among the next few requests. KV could delete them itself, but when it fails to, for example on a full
   * disk, it ends the process.
   *
   * @param count How many requests arrive.
   */
  async #findExpired(count: number): Promise<KvKey[]> {
    const limit = Math.min(EXAMINED * count, this.#layout.maxCreates);
    const { start, end } = this.#layout.rememberedAfter(this.#lastExamined);
    const rows = await this.#kv.range(start, end, limit);
    this.#lastExamined = rows.length < limit ? "" : String(rows.at(-1)?.key.at(-1));
    const now = Date.now();
    const { length } = this.#layout.remembered("");
    return rows.filter(({ key, value }) => key.length === length && isExpired(value, now)).map(({ key }) =>
      key as KvKey
    );
  }
}

/** Ignores entries that the store has not written. */
function isExpired(value: unknown, now: number): boolean {
  try {
    return fromJson<Remembered>(value)!.expires <= now;
  } catch {
    return false;
  }
}
