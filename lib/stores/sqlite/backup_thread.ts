/**
 * Copies a database in a thread. `backup()` on Deno and the check of the copy block their thread
 * for as long as they take, and a process whose main thread is blocked notices no signal.
 */

import { statSync } from "node:fs";
import { resolvesWithin, untilAborted } from "../../promises.ts";
import { type Backup, backupDatabase, createStopFlag, stopCopy, type StopFlag } from "./backup.ts";
import { findDatabase, type FoundDatabase } from "./inspection.ts";
import { startThread } from "./start_thread.ts";
import { answerRequests } from "./thread.ts";

/** Databases below this size are copied without a thread, because the copy takes less time than the start of one. */
const THREAD_MIN_BYTES = 4 * 1_048_576;

/**
 * How long an aborted copy may take to end by itself. A call of SQLite in the thread cannot be
 * interrupted: a check of a large copy takes longer, but it only reads.
 */
const END_TIMEOUT_MS = 300;

/** What the thread is asked for. */
interface CopyRequest {
  copy: string;
  stop: StopFlag;
}

/**
 * Copies a snapshot of a database into an empty file, and checks the copy.
 *
 * @throws {StoreUnavailableError} If the database cannot be copied, or the copy is not sound.
 * @throws The reason of the signal, if it is aborted before the end. The copy is then unfinished.
 */
export async function backupUntilAborted(path: string, copy: string, signal: AbortSignal): Promise<Backup> {
  const source = findDatabase(path);
  const stop = createStopFlag();
  const thread = isSmall(source) ? undefined : startThread<CopyRequest, Backup>(import.meta.url, source);
  if (!thread) return await backupDatabase(source, copy, stop);
  const copied = thread.ask({ copy, stop });
  try {
    return await untilAborted(signal, copied);
  } finally {
    // The caller removes an unfinished copy. The thread must have ended before that, because SQLite
    // makes a file that is missing, and a journal beside it. Deno's `terminate()` does not wait for
    // a call that is running.
    stopCopy(stop);
    await resolvesWithin(END_TIMEOUT_MS, copied.then(() => {}, () => {}));
    await resolvesWithin(END_TIMEOUT_MS, thread.end());
  }
}

/** Whether a database with its log is below {@link THREAD_MIN_BYTES}. */
function isSmall({ path }: FoundDatabase): boolean {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return statSync(path).size + (log?.size ?? 0) < THREAD_MIN_BYTES;
}

/** The first function that the thread calls. */
export function runInThread(): void {
  answerRequests(({ copy, stop }: CopyRequest, source: FoundDatabase) => backupDatabase(source, copy, stop));
}
