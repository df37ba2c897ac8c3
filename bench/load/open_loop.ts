/**
 * Sends requests at times that do not depend on the responses, and measures each from the time at
 * which it was due: a server that stands still makes all of them late, as it would for users (no
 * coordinated omission). It prints the latencies in milliseconds, as JSON.
 */

import { connect } from "node:net";
import process from "node:process";
import { formatCursor } from "../../lib/operations/paging.ts";
import { AUTHORIZATION, NEW_PET } from "../catalogue.ts";
import { readSettings } from "../servers/host.ts";

export interface OpenLoopSettings {
  port: number;
  /** Requests a second. */
  rate: number;
  seconds: number;
  /** The pets in the catalogue. A few of them get most of the requests. */
  pets: number;
}

/** A connection, for one request after the other. `node:http` takes more time than the servers that are measured. */
class Connection {
  readonly #socket = connect(port, "127.0.0.1").setNoDelay().setEncoding("latin1");
  #received = "";
  #onStatus: (status: number) => void = () => {};

  constructor() {
    this.#socket.on("data", (piece: string) => this.#take(piece)).on("close", () => {
      throw new Error("A server has closed a connection");
    });
  }

  ask(request: string, onStatus: (status: number) => void): void {
    this.#onStatus = onStatus;
    this.#socket.write(request);
  }

  #take(piece: string): void {
    this.#received += piece;
    const [head = "", length] = /^[^]*?\r\ncontent-length: (\d+)[^]*?\r\n\r\n/i.exec(this.#received) ?? [];
    if (head === "" || this.#received.length < head.length + Number(length)) return;
    this.#received = "";
    idle.push(this);
    this.#onStatus(Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length)));
  }
}

const { port, rate, seconds, pets } = readSettings<OpenLoopSettings>();
/** Connections that wait for a request. The last one used comes first. */
const idle: Connection[] = [];
const latencies: number[] = [];
const begin = performance.now();
const end = begin + 1000 * seconds;
let due = begin;
let open = 0;
sendWhatIsDue();

/** Without a timer, which would come late. */
function sendWhatIsDue(): void {
  while (due <= performance.now() && due < end) {
    send(due);
    // The requests come as those of many independent users do (Poisson).
    due += -Math.log(1 - Math.random()) / rate * 1000;
  }
  if (due < end || open > 0) setImmediate(sendWhatIsDue);
  // An exit before the write has ended would cut the text.
  else process.stdout.write(JSON.stringify(latencies), () => process.exit());
}

function send(dueAt: number): void {
  const [path, body] = choose();
  const fields = `Host: 127.0.0.1:${port}\r\nAuthorization: ${AUTHORIZATION}\r\n`;
  const ofBody = body ? `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}` : "\r\n";
  const connection = idle.pop() ?? new Connection();
  open++;
  connection.ask(`${body ? "POST" : "GET"} ${path} HTTP/1.1\r\n${fields}${ofBody}`, (status) => {
    if (status !== (body ? 201 : 200)) throw new Error(`${path} got ${status}`);
    open--;
    latencies.push(Number((performance.now() - dueAt).toFixed(3)));
  });
}

function choose(): [path: string, body?: string] {
  const kind = Math.random();
  if (kind < 0.05) return ["/v1/pets", NEW_PET];
  if (kind < 0.1) return [`/v1/pets?cursor=${formatCursor(BigInt(drawId()))}`];
  return [`/v1/pets/${drawId()}`];
}

/** Draws nearly by Zipf's law with the exponent 1: the logarithms of the ranks are spread evenly. */
function drawId(): number {
  const rank = Math.floor(pets ** Math.random());
  // A prime larger than the ids: the frequent ones do not lie side by side.
  return rank * 15485863 % pets + 1;
}
