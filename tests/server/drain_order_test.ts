/** The order of events when a server ends, whatever the clients do meanwhile: thousands of orders in one process, without sockets. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers";
import * as fc from "fast-check";
import type { RequestContext } from "../../lib/http/context.ts";
import type { Reply } from "../../lib/http/reply.ts";
import { readArguments } from "../../lib/server/commands/command_line.ts";
import { SERVE } from "../../lib/server/commands/serve.ts";
import type { DrainGate } from "../../lib/server/service/drain_gate.ts";
import type { Listen, Listener } from "../../lib/server/service/listener.ts";
import { shutDown } from "../../lib/server/serving/shutdown.ts";
import { startServer } from "../../lib/server/serving/start.ts";
import { readSettings } from "../../lib/server/settings/server_settings.ts";
import { createMemoryStore } from "../../mod.ts";
import type { KeyedPetStore } from "../../lib/stores/store.ts";
import { createContext } from "../support/context.ts";
import { PET } from "../support/server/server_process.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const SETTINGS = readSettings(readArguments("serve", SERVE, ["--key=k"], () => undefined));

/** A client sends its requests on one connection, each after the response to the one before. The last body may never end. */
const CLIENT = fc.record({ requests: fc.integer({ min: 1, max: 4 }), isFinished: fc.boolean() });
type Client = { requests: number; isFinished: boolean };

/** Time limits, which end when nothing else can happen. */
class Limits {
  readonly #waiting = new Map<object, { due: number; end(): void }>();
  #now = 0;
  readonly #scheduler: fc.Scheduler;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Stands in for `setTimeout()`. Shorter times take their turn among the other events. */
  readonly setTimeout = (run: (value?: unknown) => void, milliseconds: number, value?: unknown): object => {
    const timer = {};
    if (milliseconds >= 1000) this.#waiting.set(timer, { due: this.#now + milliseconds, end: () => run(value) });
    else void this.#scheduler.schedule(Promise.resolve(), `${milliseconds} ms`).then(run);
    return timer;
  };

  readonly clearTimeout = (timer: object): void => void this.#waiting.delete(timer);

  /** @returns Whether there was one. */
  endFirst(): boolean {
    const [first] = [...this.#waiting].sort(([, one], [, other]) => one.due - other.due);
    if (!first) return false;
    const [timer, { due, end }] = first;
    this.#waiting.delete(timer);
    this.#now = due;
    end();
    return true;
  }
}

class Run {
  readonly seen: { sent: string; replied: string; isFinished: boolean; reply: Reply }[] = [];
  /** Requests whose bodies arrive, and that have no reply. */
  unanswered = 0;
  readonly lines: string[] = [];
  readonly wrong: string[] = [];
  stored = 0;
  phase = "serving";
  readonly #scheduler: fc.Scheduler;
  #reading = 0;
  #onRead = () => {};
  #gate: DrainGate | undefined;
  #listener: Listener | undefined;
  #isHolding = false;
  #isLimitOver = false;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
  }

  /** A listener without a socket. It closes when all clients have read their responses, or at its limit. */
  readonly #listen: Listen = (_address, gate) => {
    // The server gives its whole gate.
    this.#gate = gate as DrainGate;
    let isStopped = false;
    return this.#listener = {
      port: 1,
      stop: async () => {
        if (!this.#isHolding) this.wrong.push("the socket closes while a client may still send");
        this.#isHolding = false;
        isStopped = true;
        await this.#scheduler.schedule(Promise.resolve(), "the socket closes");
      },
      finish: async (limit) => {
        if (!isStopped) this.wrong.push("finished before it was stopped");
        const read = new Promise<void>((resolve) => this.#reading === 0 ? resolve() : this.#onRead = resolve);
        const over = new Promise((resolve) => setTimeout(resolve, Math.max(limit, 1000)));
        await Promise.race([read, over.then(() => this.#isLimitOver = true)]);
      },
    };
  };

  readonly #store: KeyedPetStore = Object.assign(createMemoryStore(), {
    create: async () => {
      if (this.phase === "closed") this.wrong.push("a create after the store was closed");
      await this.#scheduler.schedule(Promise.resolve(), "the commit");
      return BigInt(++this.stored);
    },
    close: () => {
      if (this.phase === "closed") this.wrong.push("closed twice");
      if (this.#reading > 0 && !this.#isLimitOver) this.wrong.push("closed before the clients have read");
      this.phase = "closed";
    },
  });

  async start(): Promise<() => Promise<void>> {
    const output = {
      add: (line: string) => this.lines.push(line),
      flush: () => Promise.resolve(),
      hasFailed: false,
    };
    const store = this.#store;
    await startServer(SETTINGS, { description: "", open: () => store }, { output, errors: output }, this.#listen);
    // The digest of a key is computed once, in another thread.
    const known = Promise.withResolvers<void>();
    void this.#gate!.respond(createContext({ authorization: "Bearer k" }), undefined, () => known.resolve());
    await known.promise;
    this.lines.pop();
    const gate = this.#gate!, listener = this.#listener!;
    const watched = {
      refuse: () => {
        this.phase = "stopping";
        return gate.refuse();
      },
      hold: () => {
        gate.hold();
        this.#isHolding = true;
      },
      end: () => gate.end(),
    };
    return async () => {
      await shutDown({ gate: watched, listener }, 250);
      await store.close();
    };
  }

  /** Sends one request, whose body comes later. Resolves with the reply. */
  async #send(isFinished: boolean): Promise<Reply> {
    const body = new TextEncoder().encode(PET);
    const arrival = isFinished
      ? this.#scheduler.schedule(Promise.resolve(body), "a body")
      : new Promise<Uint8Array>(() => {});
    const fields = { authorization: "Bearer k" };
    const context: RequestContext = {
      ...createContext(fields, "POST"),
      readBody: () => arrival,
      openBody: openerOf(arrival),
    };
    const sent = this.phase;
    this.#reading++;
    if (isFinished) this.unanswered++;
    const replied = Promise.withResolvers<Reply>();
    void this.#gate!.respond(context, undefined, (reply) => {
      if (this.#isHolding) this.wrong.push(`answered ${reply.status} while requests are held`);
      this.seen.push({ sent, replied: this.phase, isFinished, reply });
      if (isFinished) this.unanswered--;
      replied.resolve(reply);
    });
    const reply = await replied.promise;
    await this.#scheduler.schedule(Promise.resolve(), "a client reads");
    if (--this.#reading === 0) this.#onRead();
    return reply;
  }

  async play({ requests, isFinished }: Client): Promise<void> {
    for (let i = 1; i <= requests; i++) {
      await this.#scheduler.schedule(Promise.resolve(), "a client sends");
      // The socket is closed, or the response said so.
      if (this.phase === "closed") return;
      if ("connection" in (await this.#send(isFinished || i < requests)).headers) return;
    }
  }
}

function openerOf(arrival: Promise<Uint8Array>): RequestContext["openBody"] {
  return () =>
    new ReadableStream({
      async pull(controller) {
        controller.enqueue(await arrival);
        controller.close();
      },
    });
}

test("when a server ends, each request gets one reply, none is lost while others are held, and the store is closed last", () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(CLIENT, { maxLength: 6 }), async (scheduler, clients) => {
      const real = { setTimeout, clearTimeout };
      const limits = new Limits(scheduler);
      Object.assign(globalThis, { setTimeout: limits.setTimeout, clearTimeout: limits.clearTimeout });
      try {
        const run = new Run(scheduler);
        const end = await run.start();
        for (const client of clients) void run.play(client);
        let isEnded = false;
        void scheduler.schedule(Promise.resolve(), "the signal").then(end).then(() => isEnded = true);
        while (!isEnded) {
          if (scheduler.count() > 0) await scheduler.waitOne();
          // What follows from an event, before the next one.
          await new Promise((resolve) => setImmediate(resolve));
          if (!isEnded && scheduler.count() === 0 && !limits.endFirst()) assert.fail("nothing can happen any more");
        }
        assert.deepEqual(run.wrong, []);
        assert.equal(run.phase, "closed");
        const created = run.seen.filter(({ reply }) => reply.status === 201);
        assert.equal(created.length, run.stored);
        assert.equal(run.unanswered, 0);
        for (const { sent, replied, isFinished, reply: { status, headers } } of run.seen) {
          assert.equal(status, sent !== "serving" ? 503 : isFinished ? 201 : 408);
          assert.equal("connection" in headers, replied !== "serving");
        }
        assert.equal(run.lines.length, run.seen.length);
      } finally {
        Object.assign(globalThis, real);
      }
    }),
    { numRuns: 400 },
  ));

test("the time that requests in flight have taken is no longer there for clients that read their responses", () =>
  withVirtualClock(async () => {
    const limitAfter = async (refuse: () => Promise<void>) => {
      let limit: number | undefined;
      const listener = {
        stop: () => Promise.resolve(),
        finish: (timeoutMs: number) => Promise.resolve(void (limit = timeoutMs)),
      };
      await shutDown({ gate: { refuse, hold() {}, end() {} }, listener }, 250);
      return limit;
    };
    assert.equal(await limitAfter(() => Promise.resolve()), 7_500 - 250);
    assert.equal(await limitAfter(() => new Promise(() => {})), 7_500 - 6_000 - 250);
  }));
