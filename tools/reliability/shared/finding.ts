import type { Finding as AnyFinding } from "../../command_line.ts";

/** What can be found. */
export type FindingKind =
  // Acknowledged, and not there as it was acknowledged.
  | "lost"
  // Stored, and never shown to a reader that followed the ids meanwhile.
  | "missed"
  // Stored more than once, or an id given twice.
  | "doubled"
  // Stored, and no client has sent it like that.
  | "half-stored"
  // An id that is not above those that were given before.
  | "unordered"
  // Stored by a server that ended in good order, without a response to the client.
  | "unanswered"
  // No response, of a busy client or right after the signal, though the server ended in good order.
  | "dropped"
  // A response that ended before its end.
  | "cut"
  // A response that should have been another.
  | "response"
  // A retry that was not answered as the first try.
  | "replay"
  // A list by status, or a pet by its id, that differs from the list of all.
  | "list"
  // What the store's own check says.
  | "store"
  // Memory, open files or a write-ahead log beyond their bounds.
  | "growth"
  // An exit status, or a line on standard error, that should not be.
  | "exit";

export type Finding = AnyFinding<FindingKind>;
