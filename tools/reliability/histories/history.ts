/** Runs the clients of a plan, and records each request and response with its place in time. */

import { resolvesWithin } from "../../../lib/promises.ts";
import { formatPet, type PetDraft, type PetStatus } from "../../../lib/stores/store.ts";
import type { Plan, Step } from "./plan.ts";

export type Handle = (request: Request) => Promise<Response>;

export const KEY = "pk_histories";

export type Asked =
  | { kind: "create"; pet: PetDraft; key?: string }
  | { kind: "get"; id: number }
  | { kind: "list"; after: number; limit: number; status: PetStatus | undefined };

/** A request and its response. */
export interface Exchange {
  asked: Asked;
  /**
   * The places of its beginning and its end in time: numbers of one clock, which counts the beginnings and ends of all
   * requests.
   */
  begin: number;
  end: number;
  status: number;
  text: string;
  /** The target of the next page. */
  next: string | undefined;
}

/** The longest that a request may take, in milliseconds. The machine may be busy. */
const LONGEST = 30_000;

/** How often a client sends a create with a key before it gives up. */
const TRIES = 3;

export class Recorder {
  readonly exchanges: Exchange[] = [];
  #clock = 0;

  async ask(handle: Handle, asked: Asked, target = targetOf(asked)): Promise<Exchange> {
    const begin = ++this.#clock;
    let seen = { status: 0, text: `No response came within ${LONGEST} ms`, next: undefined as string | undefined };
    await resolvesWithin(
      LONGEST,
      (async () => {
        const response = await handle(requestOf(asked, target));
        const next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
        seen = { status: response.status, text: await response.text(), next };
      })(),
    );
    const exchange = { asked, begin, end: ++this.#clock, ...seen };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Follows `next` until no page is left, or one was refused. */
  async walk(handle: Handle, { limit, status }: { limit: number; status: PetStatus | undefined }, pages: number) {
    let after = 0;
    let target: string | undefined;
    for (let page = 0; page < pages; page++) {
      const { text, next } = await this.ask(handle, { kind: "list", after, limit, status }, target);
      after = lastId(text);
      target = next;
      if (next === undefined) return;
    }
  }

  async run(handles: readonly Handle[], { clients }: Pick<Plan<unknown>, "clients">): Promise<void> {
    await Promise.all(clients.map(async (steps) => {
      for (const step of steps) await this.#take(handles[step.server % handles.length]!, step);
    }));
  }

  async #take(handle: Handle, step: Step): Promise<void> {
    switch (step.kind) {
      case "create":
        return void await this.ask(handle, { kind: "create", pet: step.pet });
      case "create once":
        for (let tries = 0; tries < TRIES; tries++) {
          const { status } = await this.ask(handle, { kind: "create", pet: step.pet, key: step.key });
          if (status !== 503) return;
        }
        return;
      case "get":
        return void await this.ask(handle, { kind: "get", id: step.id });
      case "list":
        return await this.walk(handle, step, step.pages);
    }
  }
}

function targetOf(asked: Asked): string {
  if (asked.kind === "create") return "/v1/pets";
  if (asked.kind === "get") return `/v1/pets/${asked.id}`;
  return `/v1/pets?limit=${asked.limit}${asked.status === undefined ? "" : `&status=${asked.status}`}`;
}

function requestOf(asked: Asked, target: string): Request {
  const url = new URL(target, "http://petstore.test");
  const authorization = `Bearer ${KEY}`;
  if (asked.kind !== "create") return new Request(url, { headers: { authorization } });
  const { pet, key } = asked;
  const headers = { authorization, "content-type": "application/json", ...(key && { "idempotency-key": key }) };
  return new Request(url, { method: "POST", headers, body: formatPet({ id: 0n, ...pet }) });
}

/** The last id of a list, or 0 if the text is no list. */
function lastId(text: string): number {
  return Number([...text.matchAll(/\{"id":(\d+),/g)].at(-1)?.[1] ?? 0);
}
