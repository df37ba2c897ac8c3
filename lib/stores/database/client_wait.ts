/** The shortest and the longest time that a commit waits for clients. */
const MIN_WAIT_MS = 2;
const MAX_WAIT_MS = 10;

/** How many commits do not wait after a wait in vain. So one of 17 commits waits in vain at most, for up to 10 ms. */
const COMMITS_WITHOUT_WAIT = 16;

/** How long a commit waits for clients: about as long as the last commit took. */
export function waitMs(lastCommitMs: number): number {
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, lastCommitMs));
}

/**
 * Decides whether a commit waits for the clients that the last one has answered. A wait is in vain
 * if not all of them come: they have changed their rhythm, so the next commits do not wait.
 */
export class ClientWait {
  #commitsWithoutWait = 0;

  /** Whether the next commit is to wait. Call it once for each commit. */
  isWorthwhile(): boolean {
    if (this.#commitsWithoutWait === 0) return true;
    this.#commitsWithoutWait--;
    return false;
  }

  /** Tells that not all clients came in time. */
  wasInVain(): void {
    this.#commitsWithoutWait = COMMITS_WITHOUT_WAIT;
  }
}
