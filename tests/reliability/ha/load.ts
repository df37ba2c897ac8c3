/** Clients that create with keys and repeat until they are acknowledged, and a reader of what was acknowledged last. */

import { Client } from "../../support/http/client.ts";
import { type Create, type Journal, show } from "../shared/journal.ts";
import { drawPet, isPet, parsePets } from "../shared/pets.ts";
import { createRequest, getRequest } from "../shared/requests.ts";
import type { Random } from "../../support/random.ts";

/** The longest pause of a client between two creates, and its pause before it repeats one, in milliseconds. */
const LONGEST_PAUSE = 200, BEFORE_RETRY = 50;

/** The pause of the reader, in milliseconds. */
const READING_PAUSE = 10;

export interface LoadOptions {
  /** The servers' ports. A client that repeats a create asks the next one. */
  ports: readonly number[];
  journal: Journal;
  random: Random;
  clients: number;
  /** Tells these pets from those of other loads. */
  tag: string;
}

export class Load {
  /** When each create was acknowledged, as in `performance.now()`. */
  readonly acknowledgements: number[] = [];
  /** The creates of this load. */
  readonly creates: Create[] = [];
  /** The creates whose first try was not answered by 201. */
  repeated = 0;
  readonly #options: LoadOptions;
  #last: Create | undefined;
  #isEnough = false;
  readonly #running: Promise<unknown>;

  /** Starts at once. */
  constructor(options: LoadOptions) {
    this.#options = options;
    const clients = Array.from({ length: options.clients }, (_, i) => this.#createOnAndOn(i, options.random.fork()));
    this.#running = Promise.all([...clients, this.#readOnAndOn()]);
  }

  /** Each client finishes its create. */
  async finish(): Promise<void> {
    this.#isEnough = true;
    await this.#running;
  }

  /** Asks a server for the pet that was acknowledged last, and reports a response that does not know it. */
  async readLast(port: number): Promise<"shown" | "stale" | "refused"> {
    const create = this.#last;
    using client = new Client(port);
    const outcome = await client.send(getRequest(`/v1/pets/${create?.id ?? 1}`));
    if (create === undefined || outcome.kind !== "answered" || outcome.response.status === 503) return "refused";
    const pet = outcome.response.status === 200 && parsePets(outcome.response.text);
    if (isPet(pet) && pet.name === create.pet.name) return "shown";
    const shown = isPet(pet) ? show(pet) : outcome.response.text;
    this.#options.journal.report("stale", `${create.pet.body} was acknowledged as ${create.id}, then read as ${shown}`);
    return "stale";
  }

  async #createOnAndOn(number: number, random: Random): Promise<void> {
    const { ports, journal, tag } = this.#options;
    const clients = ports.map((port) => new Client(port));
    for (let i = number; !this.#isEnough; i += clients.length + 1) {
      const create = journal.intend(drawPet(random, `${tag}.${number}.${i}`));
      this.creates.push(create);
      if (!await this.#tryOnce(clients[i % clients.length], create)) this.repeated++;
      for (let next = i + 1; !create.isAcknowledged; next++) {
        await pause(BEFORE_RETRY);
        await this.#tryOnce(clients[next % clients.length], create);
      }
      await pause(random.below(LONGEST_PAUSE));
    }
    for (const client of clients) client[Symbol.dispose]();
  }

  async #tryOnce(client: Client | undefined, create: Create): Promise<boolean> {
    const outcome = await client?.send(createRequest(create.pet));
    const what = outcome?.kind === "answered" ? String(outcome.response.status) : String(outcome?.kind);
    if (outcome?.kind === "answered" && outcome.response.status === 201) {
      this.#options.journal.take(create, outcome.response);
      if (!create.isAcknowledged) return false;
      this.acknowledgements.push(performance.now());
      this.#last = create;
      return true;
    }
    if (what !== "503") this.#options.journal.report("response", `${what} was the response to ${create.pet.body}`);
    // It may have been stored.
    create.isUncertain = true;
    return false;
  }

  async #readOnAndOn(): Promise<void> {
    const { ports } = this.#options;
    for (let i = 0; !this.#isEnough; i++) {
      await this.readLast(ports[i % ports.length] ?? 0);
      await pause(READING_PAUSE);
    }
  }
}

function pause(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time));
}
