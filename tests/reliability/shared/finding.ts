import type { Finding as AnyFinding } from "../../support/command_line.ts";

/** The kinds of findings, with their meaning. */
export const FINDING_KINDS = {
  lost: "acknowledged, and not there as it was acknowledged",
  missed: "stored, and never shown to a reader that followed the ids meanwhile",
  doubled: "stored more than once, or an id given twice",
  "half-stored": "stored, and no client has sent it like that",
  unordered: "an id that is not above those that were given before",
  unanswered: "stored by a server that ended in good order, without a response to the client",
  dropped:
    "a request without a response, of a busy client or right after the signal, though the server ended in good order",
  cut: "a response that ended before its end",
  response: "a response that should have been another",
  replay: "a retry that was not answered as the first try",
  list: "a list by status, or a pet by its id, that differs from the list of all",
  store: "what the store's own check says",
  memory: "memory that goes on growing",
  files: "open files that were not closed",
  log: "a write-ahead log that outgrows its bound",
  exit: "an exit status, or a line on standard error, that should not be",
} as const;

export type FindingKind = keyof typeof FINDING_KINDS;

export type Finding = AnyFinding<FindingKind>;

export function countKinds(findings: readonly Finding[], kinds: readonly FindingKind[]): Record<string, string> {
  return Object.fromEntries(kinds.map((kind) => {
    const count = findings.filter((finding) => finding.kind === kind).length;
    return [kind, `${String(count).padEnd(5)} ${FINDING_KINDS[kind]}`];
  }));
}
