import { formatPetWithId } from "../../pet.ts";
import { Batch } from "../batch.ts";
import { requireValid } from "../status_code.ts";
import { type PetDraft, StoreUnavailableError } from "../store.ts";
import { type Outcome, type PendingWrite, recall, uncertain, unknownKind, type Write } from "../write.ts";
import { type Kv, type KvChange, type KvKey, limitRetries } from "./client.ts";
import type { KeySpace } from "./key_space.ts";
import { counterAt, type CounterState, counterState, fromJson, type Remembered, toBytes } from "./values.ts";

/** About a fourth of the examined requests have expired. */
const EXAMINED = 4;

/** Much longer than it can take to learn the outcome of a commit. In milliseconds. */
const COMMIT_RETENTION = 86_400_000;

interface Plan extends KvChange {
  /** One for each write. */
  outcomes: Outcome[];
  /** The greatest id after the commit. */
  last: number;
}

export class GroupCommit {
  readonly #kv: Kv;
  readonly #space: KeySpace;
  /** A second commit would only fail the check of the counter. */
  readonly #batch: Batch<PendingWrite>;
  /** As this server last read or wrote it. While no other server commits, no read is needed. */
  #state: CounterState | undefined;
  /** Until KV has finished it, all creates are refused. */
  #isTimedOut = false;
  /** Whether KV has got an attempt of the running commit. */
  #isSent = false;
  #onTimeout = () => {};
  readonly #server = crypto.randomUUID();
  /** The number of a commit is its name. */
  #count = 0;
  #lastExamined: string = this.#server;

  constructor(kv: Kv, space: KeySpace) {
    this.#kv = kv;
    this.#space = space;
    const { maxCreates } = space;
    this.#batch = new Batch({
      resource: "Deno KV",
      choose: (waiting) => ({ chosen: waiting.slice(0, maxCreates), rest: waiting.slice(maxCreates) }),
      commit: (creates) => this.#settle(creates),
    });
  }

  write(write: Write): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if ("pet" in write) requireValid(write.pet);
      if (this.#isTimedOut) throw this.#kv.timeoutError();
      this.#batch.add({ write, resolve, reject });
    });
  }

  async close(): Promise<void> {
    const closed = this.#batch.close();
    if (!this.#isTimedOut) await Promise.race([closed, new Promise<void>((resolve) => this.#onTimeout = resolve)]);
  }

  async readCounter(): Promise<CounterState> {
    const { start, end } = this.#space.petsAfter(0n);
    // Before the counter, since another server may be adding the first pet. Ids would be given again.
    const hasPets = (await this.#kv.range(start, end, 1)).length > 0;
    const counter = await this.#kv.get(this.#space.counter);
    if (counter.value === null && hasPets) {
      throw new StoreUnavailableError("The petstore's counter is missing in Deno KV, and there are pets");
    }
    return counterState(counter);
  }

  async #settle(creates: readonly PendingWrite[]): Promise<void> {
    const timer = setTimeout(() => this.#timeOut(creates), this.#kv.timeoutMs);
    try {
      const outcomes = await this.#commit(creates);
      creates.forEach(({ resolve }, i) => resolve(outcomes[i]!));
    } catch (error) {
      for (const { reject } of creates) reject(error);
    } finally {
      clearTimeout(timer);
      this.#isTimedOut = this.#isSent = false;
    }
  }

  #timeOut(creates: readonly PendingWrite[]): void {
    this.#isTimedOut = true;
    const error = this.#kv.timeoutError();
    for (const { reject } of creates) reject(this.#isSent ? uncertain(error) : error);
    for (const { reject } of this.#batch.waiting.splice(0)) reject(error);
    this.#onTimeout();
  }

  /** At most one attempt is applied, because each needs the same version of the counter, and changes it. */
  async #commit(creates: readonly PendingWrite[]): Promise<Outcome[]> {
    const key = this.#space.counter;
    const mayRetry = limitRetries(this.#kv.timeoutMs);
    let state = this.#state ??= await this.readCounter();
    let plan = await this.#plan(creates, state);
    while (plan.writes.length > 0) {
      // The creates have been refused already, and KV may have been closed.
      if (this.#isTimedOut) throw this.#kv.timeoutError();
      this.#state = undefined;
      this.#isSent = true;
      const result = await this.#kv.commit({ key, versionstamp: state.versionstamp }, plan);
      if (typeof result === "string") {
        this.#state = { last: plan.last, versionstamp: result };
        break;
      }
      // Before the counter is read, because the next attempt fails if another server commits between the two.
      const isInTime = await mayRetry(result);
      const [counter, latest] = await this.#kv.getMany([key, this.#space.remembered(this.#server)]).catch((error) => {
        throw uncertain(error);
      });
      const current = counterState(counter!);
      if (fromJson<Remembered>(latest!.value)?.fingerprint === String(this.#count)) break;
      if (!isInTime) throw result.cause === undefined ? result : uncertain(result);
      // Otherwise the commit has not been applied yet, but still may be.
      if (current.versionstamp !== state.versionstamp) plan = await this.#plan(creates, current);
      state = current;
    }
    return plan.outcomes;
  }

  async #plan(creates: readonly PendingWrite[], { last }: CounterState): Promise<Plan> {
    const keys = [...new Set(creates.flatMap(({ write }) => write.kind === "createOnce" ? write.request.key : []))];
    // A server remembers its last commit, so its first one counts as a request.
    const count = keys.length + (this.#count === 0 ? 1 : 0);
    const [entries, deleted] = await Promise.all([
      this.#kv.getMany(keys.map((key) => this.#space.remembered(key))),
      count > 0 ? this.#findExpired(count) : [],
    ]);
    const known = keys.map((key, i) => [key, fromJson<Remembered>(entries[i]!.value)] as const);
    const plan = planCreates(this.#space, creates, last, new Map(known));
    if (plan.writes.length > 0) {
      const name = String(++this.#count);
      const commit: Remembered = { id: last, fingerprint: name, expires: Date.now() + COMMIT_RETENTION };
      plan.writes.push([this.#space.remembered(this.#server), toBytes(JSON.stringify(commit))]);
      plan.writes.push([this.#space.counter, counterAt(plan.last)]);
    }
    return { ...plan, deleted };
  }

  /** Among the next few entries. KV could delete them itself, but a full disk would then end the process. */
  async #findExpired(count: number): Promise<KvKey[]> {
    const limit = Math.min(EXAMINED * count, this.#space.maxCreates);
    const { start, end } = this.#space.rememberedAfter(this.#lastExamined);
    const rows = await this.#kv.range(start, end, limit);
    this.#lastExamined = rows.length < limit ? "" : String(rows.at(-1)?.key.at(-1));
    const now = Date.now();
    const { length } = this.#space.remembered("");
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

/** @param known The requests that KV remembers, which may have expired. */
function planCreates(
  space: KeySpace,
  creates: readonly PendingWrite[],
  last: number,
  known: Map<string, Remembered | undefined>,
): Plan {
  const plan: Plan = { outcomes: [], last, writes: [] };
  const now = Date.now();
  const insert = (pet: PetDraft): Outcome => {
    const id = BigInt(++plan.last);
    const text = toBytes(formatPetWithId(id, pet));
    plan.writes.push([space.pet(id), text], [space.petOfStatus(pet.status, id), text]);
    return { outcome: "created", id };
  };
  const apply = (write: Write): Outcome => {
    switch (write.kind) {
      case "create":
        return insert(write.pet);
      case "createOnce": {
        const { pet, request: { key, fingerprint, retentionMs } } = write;
        const earlier = known.get(key);
        const outcome = recall(earlier && earlier.expires > now ? earlier : undefined, fingerprint);
        if (outcome) return outcome;
        const created = insert(pet);
        const remembered = { id: plan.last, fingerprint, expires: now + retentionMs };
        // For other creates of the same commit.
        known.set(key, remembered);
        plan.writes.push([space.remembered(key), toBytes(JSON.stringify(remembered))]);
        return created;
      }
      case "probe":
        plan.writes.push([space.probe, new Uint8Array()]);
        return { outcome: "probed" };
      default:
        return unknownKind(write);
    }
  };
  for (const { write } of creates) plan.outcomes.push(apply(write));
  return plan;
}
