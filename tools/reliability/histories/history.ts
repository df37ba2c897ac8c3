/** Runs the clients of a plan, and records each request and response with its place in time. */

import { formatPet } from "../../../lib/stores/store.ts";
import type { Asked, Step } from "./plan.ts";

export type Handle = (request: Request) => Promise<Response>;

export const KEY = "pk_histories";

/** A request and its response. */
export interface Exchange {
  asked: Asked;
  /**
   * The places of its beginning and its end in time: numbers of one clock, which counts the
   * beginnings and ends of all requests.
   */
  begin: number;
  end: number;
  status: number;
  text: string;
  /** The target of the next page. */
  next: string | undefined;
}

/** How often a client sends a create with a key before it gives up. */
const TRIES = 3;

export class Recorder {
  readonly exchanges: Exchange[] = [];
  #clock = 0;

  /** Sends the requests of a client, one after the other. */
  async run(handles: readonly Handle[], steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const handle = handles[step.server]!;
      if (step.kind === "list") await this.#walk(handle, step);
      else await this.#insist(handle, step);
    }
  }

  async #insist(handle: Handle, asked: Asked): Promise<void> {
    const tries = asked.kind === "create" && asked.key !== undefined ? TRIES : 1;
    for (let i = 0; i < tries; i++) {
      const { status } = await this.ask(handle, asked);
      if (status !== 503) return;
    }
  }

  /** Follows `next` until no page is left, or one was refused. */
  async #walk(handle: Handle, { pages = 1, ...asked }: Step & { kind: "list" }): Promise<void> {
    let after = 0, target: string | undefined;
    for (let page = 0; page < pages; page++) {
      const { text, next } = await this.ask(handle, { ...asked, after }, target);
      if (next === undefined) return;
      after = JSON.parse(text).at(-1).id;
      target = next;
    }
  }

  async ask(handle: Handle, asked: Asked, target = targetOf(asked)): Promise<Exchange> {
    const begin = ++this.#clock;
    const response = await handle(requestOf(asked, target));
    const text = await response.text();
    const { status, headers } = response;
    const next = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
    const exchange = { asked, begin, end: ++this.#clock, status, text, next };
    this.exchanges.push(exchange);
    return exchange;
  }
}

function targetOf(asked: Asked): string {
  if (asked.kind === "create") return "/v1/pets";
  if (asked.kind === "get") return `/v1/pets/${asked.id}`;
  return `/v1/pets?limit=${asked.limit}${asked.status === undefined ? "" : `&status=${asked.status}`}`;
}

function requestOf(asked: Asked, target: string): Request {
  const url = new URL(target, "http://petstore.test");
  const headers = new Headers({ authorization: `Bearer ${KEY}`, "content-type": "application/json" });
  if (asked.kind !== "create") return new Request(url, { headers });
  if (asked.key !== undefined) headers.set("idempotency-key", asked.key);
  return new Request(url, { method: "POST", headers, body: formatPet({ id: 0n, ...asked.pet }) });
}
