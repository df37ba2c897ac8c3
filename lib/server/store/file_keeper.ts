/**
 * The program of the isolate that keeps the permission for files when the server gives it up. It starts the thread that writes,
 * also again after that has ended, and checks that the files are in their place. It handles nothing that comes from a client.
 */

import { DatabaseFiles, type OpenedFiles } from "../../stores/sqlite/file.ts";
import { WriterOwner } from "../../stores/sqlite/start_writer.ts";
import type { WriterPort } from "../../stores/sqlite/writer_messages.ts";

/** What the server asks for. Replies have the same number. */
export interface KeeperRequest {
  number: number;
  want: "connect" | "check" | "close" | { open: OpenedFiles };
}

/** A response, or the news that the thread of an earlier port has ended. */
export type KeeperMessage =
  | { number: number; port?: WriterPort | undefined; failure?: string }
  | { lost: number };

interface Scope {
  postMessage(message: KeeperMessage, transfer: unknown[]): void;
}

let files: DatabaseFiles | undefined;
let owner: WriterOwner | undefined;

function say(message: KeeperMessage, transfer: unknown[] = []): void {
  (globalThis as unknown as Scope).postMessage(message, transfer);
}

async function reply({ number, want }: KeeperRequest): Promise<void> {
  if (typeof want === "object") {
    files = new DatabaseFiles(want.open);
    owner = new WriterOwner(want.open);
  } else if (want === "connect") {
    const port = await owner?.connect(() => say({ lost: number }));
    return say({ number, port }, port ? [port] : []);
  } else if (want === "check") {
    files?.requireInPlace();
  } else {
    await owner?.close();
  }
  say({ number });
}

addEventListener("message", (event) => {
  const request = (event as MessageEvent<KeeperRequest>).data;
  reply(request).catch((error) => say({ number: request.number, failure: String(error?.message ?? error) }));
});
