/**
 * What clients have asked two servers while connections failed, and what they were told. Are these
 * the responses of a service that does one thing after the other? Ids ascend in the order in which
 * pets become visible, so the state of the service is one number: how many of the pets that are
 * stored at the end are visible. The fuzzer's model predicts each response in each of these states.
 */

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { FORETOLD_HEADERS, Model, readJson } from "../fuzz/model.ts";
import { createRequest, Memory, type Step } from "../fuzz/requests.ts";

export type Handle = (request: Request) => Promise<Response>;

/** A request and its response. */
interface Exchange {
  step: Step;
  /**
   * The places of its beginning and its end in time: numbers of one clock, which counts the
   * beginnings and ends of all requests.
   */
  begin: number;
  end: number;
  status: number;
  headers: Headers;
  text: string;
}

/**
 * What is known of the state at a moment between two places in time: it was `least` or a later one,
 * and `most` or an earlier one.
 */
interface Bounds extends Pick<Exchange, "begin" | "end"> {
  least: number;
  most: number;
  what: unknown;
}

export class History {
  readonly #exchanges: Exchange[] = [];
  #clock = 0;

  /** Sends the requests of a client, one after the other, to the servers in turn. */
  async run(handles: readonly Handle[], steps: readonly Step[]): Promise<void> {
    const memory = new Memory();
    for (const [turn, step] of steps.entries()) {
      const resolved = memory.resolve(step);
      memory.learn(resolved, await this.ask(handles[turn % handles.length]!, resolved));
    }
  }

  async ask(handle: Handle, step: Step): Promise<Exchange> {
    const begin = ++this.#clock;
    const response = await handle(createRequest(step));
    const text = await response.text();
    const { status, headers } = response;
    const exchange = { step, begin, end: ++this.#clock, status, headers, text };
    this.#exchanges.push(exchange);
    return exchange;
  }

  /**
   * Throws unless the responses are those of a service that does one thing after the other.
   *
   * @param stored The pets that are stored at the end, as JSON, in the order of ids.
   */
  check(stored: readonly string[]): void {
    const creates = Map.groupBy(this.#exchanges.filter(({ step }) => step.method === "POST"), nameOf);
    const answered = this.#exchanges.filter((exchange) => !isRefused(exchange));
    const seen = answered.map((what) => ({ begin: what.begin, end: what.end, least: Infinity, most: -1, what }));
    const all: Bounds[] = [...seen];
    const model = new Model();
    for (let state = 0; state <= stored.length; state++) {
      const text = stored[state - 1];
      if (text !== undefined) all.push({ ...beginningOf(text, creates, model), least: 0, most: state - 1 });
      for (const bounds of seen) {
        if (!isForetold(bounds.what, model)) continue;
        bounds.least = Math.min(bounds.least, state);
        bounds.most = state;
      }
    }
    checkOrder(all);
  }
}

function nameOf({ step }: Exchange): string {
  return (readJson(step.body!) as { name: string }).name;
}

/** Whether the service was unavailable. It says so in the documented words. */
function isRefused({ status, text }: Exchange): boolean {
  if (status !== 503) return false;
  assert.match(text, /^\{"code":"store_unavailable","message":"[^"]+","status":503\}$/);
  return true;
}

/**
 * Adds the next stored pet to the model, by the create that has sent it. The pet was not visible
 * before the first of its creates began.
 */
function beginningOf(text: string, creates: Map<string, Exchange[]>, model: Model) {
  const { id, name } = JSON.parse(text);
  const own = creates.get(name);
  assert(own, `${text} is stored twice, or was not sent`);
  creates.delete(name);
  const isUncertain = own.some(({ status, text }) => status !== 503 || text.includes("may have been stored"));
  assert(isUncertain, `${text} is stored, and each of its creates was refused`);
  model.nextId = id;
  assert.equal(text, model.predict(own[0]!.step).body);
  const begin = Math.min(...own.map((create) => create.begin));
  return { begin, end: begin, what: `The beginning of the create of ${text}` };
}

/** Whether the model gives this response in its present state. A pet that was acknowledged is visible from then on. */
function isForetold({ step, status, headers, text }: Exchange, model: Model): boolean {
  if (step.method === "POST") {
    const location = headers.get("location") ?? "";
    return status === 201 && model.predict({ ...step, method: "GET", target: location }).body === text;
  }
  const { code, body, ...foretold } = model.predict(step);
  return status === foretold.status && (code === undefined ? text === body : JSON.parse(text).code === code) &&
    FORETOLD_HEADERS.every((name) => headers.get(name) === (foretold.headers[name] ?? null));
}

/** Each request sees what responses before it have shown. */
function checkOrder(all: readonly Bounds[]): void {
  for (const later of all) {
    if (later.least > later.most) assert.fail(`No state of the service leads to ${inspect(later.what)}`);
    for (const earlier of all) {
      if (earlier.end >= later.begin || earlier.least <= later.most) continue;
      assert.fail(`${inspect(later.what)} does not show what was visible before: ${inspect(earlier.what)}`);
    }
  }
}
