import { writeSync } from "node:fs";
import { isatty } from "node:tty";

/** Standard error. */
const DESCRIPTOR = 2;

/** The time between two reports, on a terminal and elsewhere, in milliseconds. */
const ON_TERMINAL = 100, ELSEWHERE = 30_000;

/** Shows the progress of a command: on a terminal in one line, which is erased at the end. */
export class Progress {
  readonly #command: string;
  readonly #addLine: (line: string) => void;
  readonly #isTerminal = isatty(DESCRIPTOR);
  readonly #startedAt = performance.now();
  #updatedAt = this.#startedAt;

  /** @param addLine Receives the lines if standard error is not a terminal. */
  constructor(command: string, addLine: (line: string) => void) {
    this.#command = command;
    this.#addLine = addLine;
  }

  /** @param pets Undefined if they are not counted. @param share From 0 to 1; undefined if the total is not known. */
  update(pets: number | undefined, share: number | undefined): void {
    const now = performance.now();
    if (now - this.#updatedAt < (this.#isTerminal ? ON_TERMINAL : ELSEWHERE)) return;
    this.#updatedAt = now;
    const line = `${this.#command}: ${describeProgress(pets, share, now - this.#startedAt)}`;
    if (this.#isTerminal) writeSync(DESCRIPTOR, `\r${line}\x1b[K`);
    else this.#addLine(`petstore: ${line}`);
  }

  /** Erases the line, so that only messages stay. */
  end(): void {
    if (this.#isTerminal && this.#updatedAt > this.#startedAt) writeSync(DESCRIPTOR, "\r\x1b[K");
  }
}

/** Such as "412,000 pets, 98,000 a second, 41 %, 6 s left". */
export function describeProgress(
  pets: number | undefined,
  share: number | undefined,
  milliseconds: number,
): string {
  const parts: string[] = [];
  if (pets !== undefined) {
    const rate = Math.round(1000 * pets / Math.max(milliseconds, 1));
    parts.push(`${pets.toLocaleString("en")} pets`, `${rate.toLocaleString("en")} a second`);
  }
  if (share !== undefined && share > 0) {
    const secondsLeft = milliseconds / 1000 * (1 - share) / share;
    parts.push(
      `${Math.floor(100 * share)} %`,
      secondsLeft < 60 ? `${Math.ceil(secondsLeft)} s left` : `${Math.ceil(secondsLeft / 60)} min left`,
    );
  }
  return parts.join(", ");
}
