import type { SeenResponse } from "../../support/openapi_validator.ts";

export class Tally {
  /** Answered requests, counted once for all stores. */
  requests = 0;
  /** The number of responses by status and code. */
  readonly responses: Map<string, number> = new Map();

  add({ status, headers, text }: SeenResponse): void {
    this.requests++;
    const kind = status >= 400 ? codeOf(text) : headers.has("idempotency-replayed") ? "replayed" : "";
    this.#count(`${status} ${kind}`.trimEnd());
  }

  /** @param response The response before the connection was closed, if any. */
  addMalformed(response: SeenResponse | undefined): void {
    this.requests++;
    if (response === undefined) return this.#count("no HTTP: closed");
    const isRefusal = response.status === 400 && response.text === "";
    this.#count(`no HTTP: ${isRefusal ? "400" : `let through, ${response.status} ${codeOf(response.text)}`}`.trimEnd());
  }

  #count(kind: string): void {
    this.responses.set(kind, (this.responses.get(kind) ?? 0) + 1);
  }
}

/** The code of an Error body; the response to HEAD has none. */
function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? "";
}
