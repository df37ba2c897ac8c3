/** Group commit: creates that arrive together travel in one statement and share one commit. */

import { isInt64 } from "../../json.ts";
import type { Database } from "./client.ts";
import { closed, isTransient } from "./errors.ts";
import { numberArray, statusCode, textArray } from "./statements.ts";
import { type IdempotentOutcome, type IdempotentRequest, type PetDraft, StoreUnavailableError } from "../store.ts";

/** The most creates in a statement. */
const MAX_BATCH = 512;
/** Creates that may wait; some tens of megabytes at most. */
const MAX_WAITING = 10_000;
/** The longest pause before a statement is tried again that another transaction was in the way of, in milliseconds. */
const LONGEST_PAUSE = 20;
/** How long creates may wait for their turn when the store is closed, in milliseconds: that is time for many statements. */
const CLOSING = 1000;

/**
 * Commits something, and so waits for what commits have to wait for. A create that was given up may have been committed
 * without its standby: to cancel a statement ends its waiting, too, and what it did is then seen by everybody. Before
 * somebody is told that a pet has been there already, a commit that comes after it must have been waited for.
 */
const CONFIRM = `SELECT pg_catalog.pg_logical_emit_message(true, 'petstore', ''::pg_catalog.text)::pg_catalog.text,
  CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off'
    THEN pg_catalog.set_config('synchronous_commit', 'on', true) END`;

/** A create that waits. */
interface Create {
  pet: PetDraft;
  status: string;
  request?: IdempotentRequest;
  /** When it was added, as performance.now() tells the time. */
  arrival: number;
  /** Creates with the same key that came later: what becomes of this one decides about them too. */
  followers: Create[];
  resolve(outcome: IdempotentOutcome): void;
  reject(error: unknown): void;
}

/** Commits what is added. */
export class GroupCommit {
  readonly #db: Database;
  readonly #statement: string;
  #waiting: Create[] = [];
  #isUnderWay = false;
  #isClosed = false;
  #whenDone = () => {};
  /** How long a create may wait for its turn. */
  readonly #patience: number;
  /** When nobody gets a turn any more. */
  #lastTurn = Infinity;
  #refusal: ReturnType<typeof setTimeout> | undefined;

  /** @param statement What adds pets. */
  constructor(db: Database, statement: string) {
    this.#db = db;
    this.#statement = statement;
    // The other half is for the statement, so that none is sent that has no time left.
    this.#patience = db.timeout / 2;
  }

  /** Adds a pet, and resolves when it has been committed. */
  add(pet: PetDraft, request?: IdempotentRequest): Promise<IdempotentOutcome> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw closed();
      if (this.#waiting.length >= MAX_WAITING) throw new StoreUnavailableError("Too many creates wait for PostgreSQL");
      const arrival = performance.now();
      const create: Create = { pet, status: checkedStatus(pet), arrival, followers: [], resolve, reject };
      if (request) create.request = request;
      if (this.#waiting.push(create) > 1) return;
      this.#sendSoon();
      this.#refuseLater();
    });
  }

  /** Takes no more, and resolves when all that was added has been decided: what is not sent soon is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#send();
    this.#lastTurn = performance.now() + CLOSING;
    this.#refuseLater();
    if (this.#isUnderWay) await new Promise<void>((resolve) => this.#whenDone = resolve);
  }

  /** Sees to it that those who wait are refused in time. They are in order of arrival: one timer is enough. */
  #refuseLater(): void {
    clearTimeout(this.#refusal);
    const [oldest] = this.#waiting;
    if (!oldest) return;
    const turn = Math.min(oldest.arrival + this.#patience, this.#lastTurn);
    this.#refusal = setTimeout(() => this.#refuse(), Math.max(0, turn - performance.now()));
  }

  /** Refuses those who have waited too long. None of them has been sent, so none will be stored. */
  #refuse(): void {
    const now = performance.now();
    const latest = now < this.#lastTurn ? now - this.#patience : now;
    const count = this.#waiting.findIndex(({ arrival }) => arrival > latest);
    const late = this.#waiting.splice(0, count === -1 ? this.#waiting.length : count);
    for (const { reject } of late) {
      reject(new StoreUnavailableError("PostgreSQL is not done with the creates before it"));
    }
    this.#refuseLater();
  }

  /**
   * Sends after a turn of the event loop in which no further create has come. So a lone create waits for no other, and
   * those that many clients send at once share one statement.
   */
  #sendSoon(): void {
    const count = this.#waiting.length;
    setImmediate(() => {
      if (this.#waiting.length > count && count < MAX_BATCH) this.#sendSoon();
      else this.#send();
    });
  }

  /**
   * One statement at a time. A second one would wait at the server for the first, or for another server's, while creates
   * that come meanwhile travel with it: batches are larger so, and several servers write more together.
   */
  #send(): void {
    if (this.#waiting.length === 0 || this.#isUnderWay) return;
    const { batch, rest } = chooseBatch(this.#waiting);
    this.#waiting = rest;
    this.#isUnderWay = true;
    this.#refuseLater();
    this.#commit(batch).finally(() => {
      this.#isUnderWay = false;
      if (this.#waiting.length === 0) this.#whenDone();
      else if (this.#isClosed) this.#send();
      else this.#sendSoon();
    });
  }

  async #commit(batch: readonly Create[]): Promise<void> {
    const deadline = deadlineOf(batch, this.#db.timeout);
    let unsettled = batch;
    try {
      const ids = await this.#try(parametersOf(batch), deadline);
      const isReplayed = (_: Create, i: number) => ids[i]?.startsWith("-");
      const isWritten = ids.some((id) => /^[1-9]/.test(id));
      batch.forEach((create, i) => isReplayed(create, i) || settle(create, ids[i] ?? ""));
      unsettled = batch.filter(isReplayed);
      // What has been added just now has been waited for with all that was there.
      if (unsettled.length > 0 && !isWritten) await this.#db.query(CONFIRM, [], deadline);
      batch.forEach((create, i) => isReplayed(create, i) && settle(create, ids[i] ?? ""));
    } catch (error) {
      for (const { followers, reject } of unsettled) {
        for (const each of [reject, ...followers.map(rejectOf)]) each(error);
      }
    }
  }

  async #try(parameters: string[], deadline: number): Promise<string[]> {
    try {
      const [row] = await this.#db.query(this.#statement, parameters, deadline);
      return String(row?.[0]).split(",");
    } catch (error) {
      const cause = error instanceof StoreUnavailableError ? error.cause : error;
      if (!isTransient(cause)) throw error;
      const pause = Math.random() * LONGEST_PAUSE;
      if (performance.now() + pause < deadline) {
        await new Promise((resolve) => setTimeout(resolve, pause));
        return await this.#try(parameters, deadline);
      }
      throw new StoreUnavailableError("Other transactions were in the way again and again", { cause });
    }
  }
}

/** What is refused here fails alone, and not with all that is sent with it. */
function checkedStatus({ name, categoryId, status }: PetDraft): string {
  if (typeof name !== "string" || name.includes("\0")) throw new TypeError("A name must be text without U+0000");
  if (typeof categoryId !== "bigint" || !isInt64(categoryId)) throw new TypeError("A categoryId must be an int64");
  return statusCode(status);
}

/** Creates with a key first; of several with the same key only one, and another pet's waits for the next statement. */
function chooseBatch(waiting: readonly Create[]): { batch: Create[]; rest: Create[] } {
  const leaders = new Map<string, Create>();
  const plain: Create[] = [], rest: Create[] = [];
  for (const create of waiting) {
    const { request } = create;
    const leader = request && leaders.get(request.key);
    if (leader?.request && leader.request.fingerprint === request?.fingerprint) leader.followers.push(create);
    else if (leader || leaders.size + plain.length >= MAX_BATCH) rest.push(create);
    else if (request) leaders.set(request.key, create);
    else plain.push(create);
  }
  return { batch: [...leaders.values(), ...plain], rest };
}

/** The first of all deadlines: who has been given an answer finds nothing stored later. */
function deadlineOf(batch: readonly Create[], timeout: number): number {
  const arrivals = batch.flatMap(({ arrival, followers }) => [arrival, ...followers.map(({ arrival }) => arrival)]);
  return Math.min(...arrivals) + timeout;
}

function parametersOf(batch: readonly Create[]): string[] {
  const requests = batch.flatMap(({ request }) => request ?? []);
  return [
    textArray(batch.map(({ pet }) => pet.name)),
    numberArray(batch.map(({ pet }) => pet.categoryId)),
    numberArray(batch.map(({ status }) => status)),
    textArray(requests.map(({ key }) => key)),
    textArray(requests.map(({ fingerprint }) => fingerprint)),
    numberArray(requests.map(({ retentionMs }) => retentionMs)),
  ];
}

function settle({ resolve, followers }: Create, text: string): void {
  const id = BigInt(text);
  const known: IdempotentOutcome = text === ""
    ? { outcome: "reused" }
    : { outcome: "replayed", id: id < 0n ? -id : id };
  resolve(id > 0n ? { outcome: "created", id } : known);
  for (const follower of followers) follower.resolve(known);
}

function rejectOf({ reject }: Create): (error: unknown) => void {
  return reject;
}
