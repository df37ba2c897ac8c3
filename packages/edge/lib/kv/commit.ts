import { type PetDraft, StoreUnavailableError } from "@petstore/petstore/store";
import {
  Batch,
  formatPetWithId,
  type Outcome,
  type PendingWrite,
  recall,
  requireValidWrite,
  uncertain,
  unknownKind,
  type Write,
} from "@petstore/petstore/store/toolkit";
import { type Kv, type KvChange, type KvKey, limitRetries } from "./client.ts";
import type { KeySpace } from "./key_space.ts";
import { counterAt, type CounterState, counterState, fromJson, type Remembered, toBytes } from "./values.ts";

/** About a fourth of the examined requests have expired. */
const EXAMINED = 4;

/** Much longer than it can take to learn the outcome of a commit. In milliseconds. */
const COMMIT_RETENTION = 86_400_000;

interface Plan extends KvChange {
  /** The outcomes of the writes, one for each. */
  outcomes: Outcome[];
  /** The greatest id after the commit. */
  last: number;
}

/**
 * How far a commit is. It is `planned` until KV has got its first attempt, and `sent` from then on, when its pets may be stored. It has
 * `timed out` if it has exceeded its time: its creates are refused, and so are all others until KV has finished it.
 */
type Phase = "planned" | "sent" | "timed out";

interface RunningCommit {
  phase: Phase;
}

export function createGroupCommit(kv: Kv, space: KeySpace) {
  /** The counter as this server last read or wrote it. While no other server commits, no read is needed. */
  let lastState: CounterState | undefined;
  /** The commit that is running. There is one at most. */
  let running: RunningCommit | undefined;
  /** Called when the running commit times out. */
  let onTimeout = () => {};
  const server = crypto.randomUUID();
  /** How many commits there were. The number of a commit is its name. */
  let commits = 0;
  let lastExamined: string = server;
  /** A second commit would only fail the check of the counter. */
  const batch = new Batch<PendingWrite>({
    resource: "Deno KV",
    choose: (waiting) => ({ chosen: waiting.slice(0, space.maxCreates), rest: waiting.slice(space.maxCreates) }),
    commit: settle,
  });

  const hasTimedOut = () => running?.phase === "timed out";

  function write(write: Write): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      requireValidWrite(write);
      if (hasTimedOut()) throw kv.timeoutError();
      batch.add({ write, resolve, reject });
    });
  }

  async function close(): Promise<void> {
    const closed = batch.close();
    if (!hasTimedOut()) await Promise.race([closed, new Promise<void>((resolve) => onTimeout = resolve)]);
  }

  async function readCounter(): Promise<CounterState> {
    const counter = counterState(await kv.get(space.counter));
    await requireAhead(counter);
    return counter;
  }

  /**
   * Checks that no pet has an id which the counter would give again.
   *
   * @throws {StoreUnavailableError} If another program has deleted the counter, or has put an earlier one back.
   */
  async function requireAhead(counter: CounterState): Promise<void> {
    const { start, end } = space.petsAfter(BigInt(counter.last));
    if ((await kv.range(start, end, 1)).length === 0) return;
    // Another server may have added the pet since, and it changes the counter in the same commit.
    const { versionstamp } = counterState(await kv.get(space.counter));
    if (versionstamp !== counter.versionstamp) return;
    throw new StoreUnavailableError(
      versionstamp === null
        ? "The petstore's counter is missing in Deno KV, and there are pets"
        : "The petstore's counter in Deno KV is behind its pets: another program has put an earlier one back",
    );
  }

  async function settle(creates: readonly PendingWrite[]): Promise<void> {
    const own: RunningCommit = running = { phase: "planned" };
    const timer = setTimeout(() => timeOut(own, creates), kv.timeoutMs);
    try {
      const outcomes = await commit(own, creates);
      creates.forEach(({ resolve }, i) => resolve(outcomes[i]!));
    } catch (error) {
      for (const { reject } of creates) reject(error);
    } finally {
      clearTimeout(timer);
      running = undefined;
    }
  }

  function timeOut(own: RunningCommit, creates: readonly PendingWrite[]): void {
    const error = kv.timeoutError();
    for (const { reject } of creates) reject(own.phase === "sent" ? uncertain(error) : error);
    own.phase = "timed out";
    for (const { reject } of batch.waiting.splice(0)) reject(error);
    onTimeout();
  }

  /**
   * Commits creates. At most one attempt is applied, because each needs the same version of the counter, and changes
   * it.
   */
  async function commit(own: RunningCommit, creates: readonly PendingWrite[]): Promise<Outcome[]> {
    const key = space.counter;
    const mayRetry = limitRetries(kv.timeoutMs);
    let state = lastState ??= await readCounter();
    let plan = await planWrites(creates, state);
    while (plan.writes.length > 0) {
      // The creates have been refused already, and KV may have been closed.
      if (own.phase === "timed out") throw kv.timeoutError();
      lastState = undefined;
      own.phase = "sent";
      const result = await kv.commit({ key, versionstamp: state.versionstamp }, plan);
      if (typeof result === "string") {
        lastState = { last: plan.last, versionstamp: result };
        break;
      }
      // This is asked before the counter is read, because the next attempt fails if another server commits between the
      // two.
      const isInTime = await mayRetry(result);
      const [counter, latest] = await kv.getMany([key, space.remembered(server)]).catch((error) => {
        throw uncertain(error);
      });
      const current = counterState(counter!);
      if (fromJson<Remembered>(latest!.value)?.fingerprint === String(commits)) break;
      if (!isInTime) throw result.cause === undefined ? result : uncertain(result);
      // If the counter is the same, the commit has not been applied yet, but still may be.
      if (current.versionstamp !== state.versionstamp) {
        await requireAhead(current);
        plan = await planWrites(creates, current);
      }
      state = current;
    }
    return plan.outcomes;
  }

  async function planWrites(creates: readonly PendingWrite[], { last }: CounterState): Promise<Plan> {
    const keys = [...new Set(creates.flatMap(({ write }) => write.kind === "createOnce" ? write.request.key : []))];
    // A server remembers its last commit, so its first one counts as a request.
    const count = keys.length + (commits === 0 ? 1 : 0);
    const [entries, deleted] = await Promise.all([
      kv.getMany(keys.map((key) => space.remembered(key))),
      count > 0 ? findExpired(count) : [],
    ]);
    const known = keys.map((key, i) => [key, fromJson<Remembered>(entries[i]!.value)] as const);
    const plan = planCreates(space, creates, last, new Map(known));
    if (plan.writes.length > 0) {
      const name = String(++commits);
      const remembered: Remembered = { id: last, fingerprint: name, expires: Date.now() + COMMIT_RETENTION };
      plan.writes.push([space.remembered(server), toBytes(JSON.stringify(remembered))]);
      plan.writes.push([space.counter, counterAt(plan.last)]);
    }
    return { ...plan, deleted };
  }

  /** Among the next few entries. KV could delete them itself, but a full disk would then end the process. */
  async function findExpired(count: number): Promise<KvKey[]> {
    const limit = Math.min(EXAMINED * count, space.maxCreates);
    const { start, end } = space.rememberedAfter(lastExamined);
    const rows = await kv.range(start, end, limit);
    lastExamined = rows.length < limit ? "" : String(rows.at(-1)?.key.at(-1));
    const now = Date.now();
    const { length } = space.remembered("");
    return rows.filter(({ key, value }) => key.length === length && isExpired(value, now)).map(({ key }) =>
      key as KvKey
    );
  }

  return { write, close, readCounter };
}

/** Whether a remembered request has expired. Entries that the store has not written are ignored. */
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
        // Other creates of the same commit may have the same key.
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
