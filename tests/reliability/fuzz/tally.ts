import type { SeenResponse } from "../../support/openapi_validator.ts";

export class Tally {
  /** ResponseInfo requests, counted once for all stores. */
  requests = 0;
  /** The number of answers by status and code. */
  readonly answers: Map<string, number> = new Map();

  add({ status, headers, text }: SeenResponse): void {
    this.requests++;
    const kind = status >= 400 ? codeOf(text) : headers.has("idempotency-replayed") ? "replayed" : "";
    this.#count(`${status} ${kind}`.trimEnd());
  }

  /** @param answer The answer before the connection was closed, if any. */
  addMalformed(answer: SeenResponse | undefined): void {
    this.requests++;
    if (answer === undefined) return this.#count("no HTTP: closed");
    const isRefusal = answer.status === 400 && answer.text === "";
    this.#count(`no HTTP: ${isRefusal ? "400" : `let through, ${answer.status} ${codeOf(answer.text)}`}`.trimEnd());
  }

  format(): string {
    const lines = [...this.answers].sort(([one], [other]) => one < other ? -1 : 1);
    return lines.map(([kind, count]) => `  ${String(count).padStart(9)}  ${kind}`).join("\n");
  }

  #count(kind: string): void {
    this.answers.set(kind, (this.answers.get(kind) ?? 0) + 1);
  }
}

/** The code of an Error body; the answer to HEAD has none. */
function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? "";
}
