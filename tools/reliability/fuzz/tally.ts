import type { SeenResponse } from "../../../tests/support/openapi_validator.ts";

export class Tally {
  /** Answered requests, counted once for all stores. */
  requests = 0;
  /** The number of responses by status and code. */
  readonly responses: Map<string, number> = new Map();

  add({ status, headers, text }: SeenResponse): void {
    this.requests++;
    // The response to HEAD has no code.
    const code = status >= 400 ? /"code":"(\w+)"/.exec(text)?.[1] : undefined;
    const kind = `${status} ${code ?? (headers.has("idempotency-replayed") ? "replayed" : "")}`.trimEnd();
    this.responses.set(kind, (this.responses.get(kind) ?? 0) + 1);
  }
}
