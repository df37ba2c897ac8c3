/**
 * Sends requests at times that do not depend on the responses, and measures each from the time at which it was due: a server that stands
 * still makes all of them late, as it would for users (no coordinated omission).
 */

import { connect, type Socket } from "node:net";
import process from "node:process";
import { AUTHORIZATION, NEW_PET } from "../catalogue.ts";
import { readSettings } from "../servers/host.ts";
import { linkTo } from "../servers/peer_pages.ts";

export interface OpenLoopSettings {
  port: number;
  /** Requests a second. */
  rate: number;
  seconds: number;
  /**
   * The number of pets in the catalogue. A few of them get most of the requests, by Zipf's law with the exponent 0.99.
   */
  pets: number;
}

export interface OpenLoopResult {
  /** How many responses had this latency, in microseconds with three digits. */
  latencies: [microseconds: number, count: number][];
  /** Requests without the right response. */
  failures: number;
}

const SKEW = 0.99;

const SHARES = { create: 0.05, page: 0.05 };

const { port, rate, seconds, pets } = readSettings<OpenLoopSettings>();
const SUM = Array.from({ length: pets }, (_, i) => 1 / (i + 1) ** SKEW).reduce((sum, each) => sum + each);
const TWO = 1 + 0.5 ** SKEW, ETA = (1 - (2 / pets) ** (1 - SKEW)) / (1 - TWO / SUM);
const FIELDS = `Host: 127.0.0.1:${port}\r\nAuthorization: ${AUTHORIZATION}\r\n`;
const CREATE =
  `POST /v1/pets HTTP/1.1\r\n${FIELDS}Content-Type: application/json\r\nContent-Length: ${NEW_PET.length}\r\n\r\n` +
  NEW_PET;
/** The last one used comes first. */
const idle: Connection[] = [];
const latencies = new Map<number, number>();
let failures = 0, open = 0, isOver = false;

/** A connection, for one request after the other. `node:http` takes more time than the servers that are measured. */
class Connection {
  readonly #socket: Socket = connect(port, "127.0.0.1");
  #answer: ((status: number | undefined) => void) | undefined;
  #head = "";
  #left = 0;

  constructor() {
    this.#socket.setNoDelay().setEncoding("latin1").on("data", (piece: string) => this.#take(piece));
    this.#socket.on("error", () => {}).on("close", () => this.#settle(undefined));
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  ask(request: string, answer: (status: number | undefined) => void): void {
    this.#answer = answer;
    this.#socket.write(request);
  }

  #take(piece: string): void {
    if (this.#left === 0) {
      this.#head += piece;
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.#left = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1]) - this.#head.length;
    } else this.#left -= piece.length;
    if (this.#left > 0) return;
    const status = Number(this.#head.slice(9, 12));
    this.#head = "";
    this.#left = 0;
    this.#settle(status);
  }

  /** Settles a request, once. A server may close a connection that waits for one. */
  #settle(status: number | undefined): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(status);
  }
}

const begin = performance.now(), end = begin + 1000 * seconds;
let due = begin;
send();

/** Without a timer, which would come late. */
function send(): void {
  const now = performance.now();
  while (due <= now && due < end) {
    ask(due);
    // The requests come as those of many independent users do (Poisson).
    due += -Math.log(1 - Math.random()) / rate * 1000;
  }
  if (due < end) setImmediate(send);
  else {
    isOver = true;
    report();
  }
}

function ask(at: number): void {
  const [asked, status] = choose();
  open++;
  let connection = idle.pop();
  while (connection?.isClosed) connection = idle.pop();
  const used = connection ?? new Connection();
  used.ask(asked, (answered) => {
    open--;
    if (answered !== status) failures++;
    else count(performance.now() - at);
    if (answered !== undefined) idle.push(used);
    report();
  });
}

function choose(): [request: string, status: number] {
  const kind = Math.random();
  if (kind < SHARES.create) return [CREATE, 201];
  const id = zipf();
  if (kind >= SHARES.create + SHARES.page) return [get(`/v1/pets/${id}`), 200];
  return [get(/<(.*)>/.exec(linkTo(id % (pets - 20), 20, undefined))![1]!), 200];
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\n${FIELDS}\r\n`;
}

/**
 * Draws a number by the method of Gray et al., "Quickly generating billion-record synthetic databases" (SIGMOD 1994).
 */
function zipf(): number {
  const u = Math.random();
  const rank = u * SUM < 1 ? 1 : u * SUM < TWO ? 2 : 1 + Math.floor(pets * (ETA * u - ETA + 1) ** (1 / (1 - SKEW)));
  // A prime larger than the ids: the frequent ones do not lie side by side.
  return Math.min(rank, pets) * 15485863 % pets + 1;
}

function count(milliseconds: number): void {
  const rounded = Number((1000 * milliseconds).toPrecision(3));
  latencies.set(rounded, (latencies.get(rounded) ?? 0) + 1);
}

function report(): void {
  if (!isOver || open > 0) return;
  const whole: OpenLoopResult = { failures, latencies: [...latencies] };
  console.log(JSON.stringify(whole));
  process.exit(0);
}
