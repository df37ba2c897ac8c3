import { StoreUnavailableError } from "@petstore/petstore/store";
import {
  Batch,
  type Outcome,
  type PendingWrite,
  requireValidWrite,
  uncertain,
  type Write,
} from "@petstore/petstore/store/toolkit";
import { ConflictError, type Kv, type KvKey, limitRetries } from "./client.ts";
import type { KeySpace } from "./key_space.ts";
import { type Plan, planCreates } from "./plan.ts";
import { counterAt, type CounterState, counterState, fromJson, type Remembered, toBytes } from "./values.ts";

/** For each request that a commit adds, it looks at this many remembered ones. About a fourth of them have expired, and are deleted. */
const EXAMINED_PER_REQUEST = 4;

/** How long the last commit of a server is remembered: much longer than it can take to learn the outcome of a commit. */
const COMMIT_RETENTION_MS = 86_400_000;

/**
 * How far a commit is:
 *
 * - `planned`: KV has not got an attempt yet, so no pet can be stored.
 * - `sent`: KV has got an attempt, so the pets may be stored.
 * - `timed out`: the commit has exceeded its time. Its creates are refused, and so are all others until KV has finished it.
 */
type Phase = "planned" | "sent" | "timed out";

interface RunningCommit {
  phase: Phase;
}

/**
 * Commits the writes of one server in batches. Each commit checks and replaces the counter, so of several servers one commits at a time. To
 * learn the outcome of a commit that has failed, a server remembers the name of its last commit in KV, as if it was a request.
 */
export function createGroupCommit(kv: Kv, space: KeySpace) {
  /**
   * The counter as this server last read or wrote it. It saves a read, for speed: while no other server commits, it is right, and otherwise
   * the commit fails and reads it. It is undefined at first, and while the outcome of a commit is not known.
   */
  let lastState: CounterState | undefined;
  /** The commit that is running. There is one at most. */
  let running: RunningCommit | undefined;
  /** Called when the running commit times out. */
  let onTimeout = () => {};
  const server = crypto.randomUUID();
  /** How many commits this server has planned. The number of a plan is its name. */
  let commits = 0;
  /**
   * The key of the remembered request that was examined last. The first examination begins at the name of the server, a random place, so
   * that servers which start together do not all examine the same requests.
   */
  let lastExamined: string = server;
  /** The batch runs one commit at a time, because a second one would only fail the check of the counter. */
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

  /** Waits for the creates that have started, but not for a commit that has timed out, or does so meanwhile. */
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
    const own: RunningCommit = { phase: "planned" };
    running = own;
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
   * Commits creates, in as many attempts as it takes. At most one of them is applied:
   *
   * - Each attempt needs a version of the counter, and changes the counter if it is applied.
   * - While the counter still has the version that the last attempt needed, that attempt may yet be applied. So the next attempt repeats the
   *   plan with the same version, and only one of the two can find it.
   * - Once another server has changed the counter, the last attempt can only fail, so there may be a new plan.
   * - An attempt whose answer was lost is known by the name of its plan, which KV then remembers as the last commit of this server.
   */
  async function commit(own: RunningCommit, creates: readonly PendingWrite[]): Promise<Outcome[]> {
    const key = space.counter;
    const waitForRetry = limitRetries(kv.timeoutMs);
    lastState ??= await readCounter();
    /** The counter on which the plan is built. */
    let state = lastState;
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
      // The pause comes before the counter is read: if another server commits between the reading and the next attempt, that attempt fails.
      const mayTryAgain = await waitForRetry(result);
      const [counter, latest] = await kv.getMany([key, space.remembered(server)]).catch((error) => {
        throw uncertain(error);
      });
      const current = counterState(counter!);
      const isApplied = fromJson<Remembered>(latest!.value)?.fingerprint === plan.name;
      if (isApplied) break;
      if (!mayTryAgain) throw result instanceof ConflictError ? result : uncertain(result);
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
    // The first commit of a server adds an entry for the server's last commit, and the later ones replace it.
    const added = keys.length + (commits === 0 ? 1 : 0);
    const [entries, deleted] = await Promise.all([
      kv.getMany(keys.map((key) => space.remembered(key))),
      added > 0 ? findExpired(added) : [],
    ]);
    const known = keys.map((key, i) => [key, fromJson<Remembered>(entries[i]!.value)] as const);
    const plan = planCreates(space, creates, last, new Map(known));
    if (plan.writes.length > 0) {
      plan.name = String(++commits);
      const remembered: Remembered = { id: last, fingerprint: plan.name, expires: Date.now() + COMMIT_RETENTION_MS };
      plan.writes.push([space.remembered(server), toBytes(JSON.stringify(remembered))]);
      plan.writes.push([space.counter, counterAt(plan.last)]);
    }
    return { ...plan, deleted };
  }

  /**
   * Finds expired requests among the next few that are remembered. KV could delete them itself, but a full disk would then end the process.
   *
   * @param added How many requests the commit adds.
   */
  async function findExpired(added: number): Promise<KvKey[]> {
    const limit = Math.min(EXAMINED_PER_REQUEST * added, space.maxCreates);
    const { start, end } = space.rememberedAfter(lastExamined);
    const rows = await kv.range(start, end, limit);
    // After the last request, the examination begins again with the first.
    lastExamined = rows.length < limit ? "" : String(rows.at(-1)?.key.at(-1));
    const now = Date.now();
    // A longer key is that of another program.
    const { length } = space.remembered("");
    const expired = rows.filter(({ key, value }) => key.length === length && isExpired(value, now));
    return expired.map(({ key }) => key as KvKey);
  }

  return { write, close, readCounter };
}

/** Whether a remembered request has expired. An entry that the store has not written never does. */
function isExpired(value: unknown, now: number): boolean {
  try {
    return fromJson<Remembered>(value)!.expires <= now;
  } catch {
    return false;
  }
}
