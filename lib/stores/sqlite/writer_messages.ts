/** A batch is one message, and so is its reply. */

import type { MaybePromise } from "../../maybe_promise.ts";
import { PET_STATUSES } from "../../pet.ts";
import type { MigratedRequest } from "../earlier_requests.ts";
import { type PetDraft, StoreUnavailableError } from "../store.ts";
import { type Outcome, unknownKind, type Write } from "../write.ts";

/** The members of `MessagePort` that the web and `node:worker_threads` share. */
export interface WriterPort {
  onmessage: ((event: { data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
  addEventListener(event: "close", listener: () => void): void;
  /** An open port keeps the process alive, unless `unref()` was called. */
  ref?(): void;
  unref?(): void;
}

export interface WriterAccess {
  /**
   * Creates a port to the thread, or returns undefined if none can be started. The first {@link Reply} is `ready` or a
   * failure; each later one answers a batch.
   */
  connect(): MaybePromise<WriterPort | undefined>;
  close(): MaybePromise<void>;
}

/** The kind of each part, followed by its fields: faster than objects. Fixed types make a forgotten field throw. */
export type Message = (string | bigint | number)[];

/** A commit that fails has no outcomes. */
export type Reply = { kind: "ready" } | { kind: "outcomes"; outcomes: Outcome[] } | { kind: "failure"; error: unknown };

export function encodeWrites(writes: readonly Write[]): Message {
  const message: Message = [];
  for (const write of writes) {
    switch (write.kind) {
      case "create":
        message.push(write.kind, write.pet.name, write.pet.categoryId, write.pet.status);
        break;
      case "createOnce": {
        const { pet, request: { key, earlierKey = "", fingerprint, retentionMs } } = write;
        message.push(write.kind, pet.name, pet.categoryId, pet.status, key, earlierKey, fingerprint, retentionMs);
        break;
      }
      case "probe":
        message.push(write.kind);
        break;
      default:
        unknownKind(write);
    }
  }
  return message;
}

/** @throws {TypeError} If the message is not one of {@link encodeWrites}. */
export function decodeWrites(message: unknown): Write[] {
  const fields = new Fields(message);
  const writes: Write[] = [];
  while (fields.hasMore) writes.push(readWrite(fields));
  return writes;
}

function readWrite(fields: Fields): Write {
  const kind = fields.oneOf(["create", "createOnce", "probe"] satisfies Write["kind"][]);
  switch (kind) {
    case "create":
      return { kind, pet: readPet(fields) };
    case "createOnce":
      return { kind, pet: readPet(fields), request: readRequest(fields) };
    case "probe":
      return { kind };
  }
}

function readRequest(fields: Fields): MigratedRequest {
  const key = fields.text(), earlierKey = fields.text();
  const request: MigratedRequest = { key, fingerprint: fields.text(), retentionMs: fields.number() };
  if (earlierKey !== "") request.earlierKey = earlierKey;
  return request;
}

function readPet(fields: Fields): PetDraft {
  return { name: fields.text(), categoryId: fields.bigint(), status: fields.oneOf(PET_STATUSES) };
}

export function encodeReply(reply: Reply): Message {
  if (reply.kind === "ready") return [reply.kind];
  if (reply.kind === "outcomes") {
    const message: Message = [reply.kind];
    for (const each of reply.outcomes) "id" in each ? message.push(each.outcome, each.id) : message.push(each.outcome);
    return message;
  }
  // Structured cloning would keep neither the class of an error nor its name.
  const { message, name } = reply.error instanceof Error ? reply.error : new Error(String(reply.error));
  return [reply.kind, name, message];
}

/** @throws {TypeError} If the message is not one of {@link encodeReply}. */
export function decodeReply(message: unknown): Reply {
  const fields = new Fields(message);
  const kind = fields.oneOf(["ready", "outcomes", "failure"] satisfies Reply["kind"][]);
  if (kind === "ready") return { kind };
  if (kind === "failure") return { kind, error: toError(fields.text(), fields.text()) };
  const outcomes: Outcome[] = [];
  while (fields.hasMore) outcomes.push(readOutcome(fields));
  return { kind, outcomes };
}

function readOutcome(fields: Fields): Outcome {
  const outcome = fields.oneOf(["created", "replayed", "conflict", "probed"] satisfies Outcome["outcome"][]);
  return outcome === "created" || outcome === "replayed" ? { outcome, id: fields.bigint() } : { outcome };
}

function toError(name: string, message: string): Error {
  const error = new StoreUnavailableError(message);
  return error.name === name ? error : Object.assign(new Error(message), { name });
}

class Fields {
  readonly #fields: readonly unknown[];
  #next = 0;

  constructor(message: unknown) {
    if (!Array.isArray(message)) throw new TypeError("A message between threads must be an array");
    this.#fields = message;
  }

  get hasMore(): boolean {
    return this.#next < this.#fields.length;
  }

  text(): string {
    const field = this.#fields[this.#next++];
    return typeof field === "string" ? field : this.#refuse("a string");
  }

  bigint(): bigint {
    const field = this.#fields[this.#next++];
    return typeof field === "bigint" ? field : this.#refuse("a bigint");
  }

  number(): number {
    const field = this.#fields[this.#next++];
    return typeof field === "number" ? field : this.#refuse("a number");
  }

  oneOf<Text extends string>(texts: readonly Text[]): Text {
    const field = this.#fields[this.#next++];
    return texts.find((text) => text === field) ?? this.#refuse(`one of ${texts.join(", ")}`);
  }

  #refuse(wanted: string): never {
    throw new TypeError(`Field ${this.#next} of a message between threads must be ${wanted}`);
  }
}
