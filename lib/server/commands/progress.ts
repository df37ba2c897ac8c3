import { writeSync } from "node:fs";
import { isatty } from "node:tty";

/** Standard error. */
const DESCRIPTOR = 2;

/** The time between two reports, on a terminal and elsewhere, in milliseconds. */
const ON_TERMINAL = 100, ELSEWHERE = 30_000;

export type Progress = ReturnType<typeof showProgress>;

/**
 * Shows the progress of a command: on a terminal in one line, which is erased at the end.
 *
 * @param addLine Receives the lines if standard error is not a terminal.
 */
export function showProgress(command: string, addLine: (line: string) => void) {
  const isTerminal = isatty(DESCRIPTOR);
  const startedAt = performance.now();
  let updatedAt = startedAt;
  return {
    /** @param pets Undefined if they are not counted. @param share From 0 to 1; undefined if the total is not known. */
    update(pets: number | undefined, share: number | undefined): void {
      const now = performance.now();
      if (now - updatedAt < (isTerminal ? ON_TERMINAL : ELSEWHERE)) return;
      updatedAt = now;
      const line = `${command}: ${describeProgress(pets, share, now - startedAt)}`;
      if (isTerminal) writeSync(DESCRIPTOR, `\r${line}\x1b[K`);
      else addLine(`petstore: ${line}`);
    },
    /** Erases the line, so that only messages stay. */
    end(): void {
      if (isTerminal && updatedAt > startedAt) writeSync(DESCRIPTOR, "\r\x1b[K");
    },
  };
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
