import { readCatalogue, readPage } from "./catalogue.ts";
import { Client } from "../../../tests/support/http/client.ts";
import { type Journal, show } from "./journal.ts";
import { get } from "../../../tests/support/http/requests.ts";

/** Milliseconds between two looks at the last page: this is not the load. */
const PAUSE = 3;

/** Follows `next` and then polls the last page. Each request goes to another server; if one is gone, it asks again. */
export class Follower {
  readonly #ports: () => readonly number[];
  readonly #ids: bigint[] = [];
  #target = "/v1/pets?limit=100";
  #isEnough = false;
  #requests = 0;
  readonly #running: Promise<void>;

  /** Starts at once. @param ports The current ports of the servers. */
  constructor(ports: () => readonly number[]) {
    this.#ports = ports;
    this.#running = this.#run();
  }

  get last(): bigint {
    return this.#ids.at(-1) ?? 0n;
  }

  /** Stops. Then reads to the end, with servers at rest, and reports pets that were never shown on the way. */
  async finish(journal: Journal): Promise<void> {
    this.#isEnough = true;
    await this.#running;
    while (await this.#look() !== "the end");
    const seen = new Set(this.#ids);
    for (const pet of await readCatalogue(this.#ports()[0] ?? 0)) {
      if (!seen.delete(pet.id)) {
        journal.report("missed", `${show(pet)}: a reader that followed the ids was never shown it`);
      }
    }
    for (const id of seen) journal.report("lost", `Pet ${id} was shown to a reader, and is not there`);
  }

  async #run(): Promise<void> {
    while (!this.#isEnough) {
      if (await this.#look() !== "more") await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  async #look(): Promise<"more" | "the end" | "nothing"> {
    const ports = this.#ports();
    const port = ports[this.#requests++ % ports.length];
    if (port === undefined) return "nothing";
    using client = new Client(port);
    const outcome = await client.send(get(this.#target));
    if (outcome.kind !== "answered" || outcome.response.status !== 200) return "nothing";
    const { pets, next } = readPage(this.#target, outcome.response);
    const { last } = this;
    // An id below the last is skipped: a reader who continues from there would never ask for it.
    for (const { id } of pets) if (id > last) this.#ids.push(id);
    this.#target = next ?? this.#target;
    return next === undefined ? "the end" : "more";
  }
}
