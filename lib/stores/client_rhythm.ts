/** The shortest and the longest time that a commit waits for clients, in milliseconds. */
const MIN_WAIT_MS = 2;
const MAX_WAIT_MS = 10;

/** After a wait for clients in which not all came, this many commits do not wait. */
const COMMITS_WITHOUT_WAIT = 16;

/** How long a commit waits, and for whom. */
export interface ClientWait {
  /** The wait ends when this many creates are there: one of each client. */
  clients: number;
  /** The wait ends after this time, even if not all clients have come. */
  milliseconds: number;
}

/**
 * Says when a commit waits for whom. A client that a commit has answered sends its next create within a moment. If the next commit started
 * just before, that create would have to wait for the whole of it, and then for its own. So a commit waits until as many creates are there as
 * there are clients, for about as long as the last commit took.
 */
export class ClientRhythm {
  /** How many of the next commits start at once, because clients have changed their rhythm. */
  #commitsWithoutWait = 0;

  /**
   * The wait after a commit. It is undefined if the next commit starts at once.
   *
   * @param answered How many creates the commit has answered.
   * @param waiting How many other creates wait already.
   * @param commitMs How long the commit took.
   */
  waitAfter(answered: number, waiting: number, commitMs: number): ClientWait | undefined {
    // Each client waits for one create. So if the commit has answered two, and a third waits, there are three clients.
    const clients = answered + waiting;
    // A single client is not waited for: its next create is committed in the turn of the event loop after it comes.
    if (clients === 1) return undefined;
    if (this.#commitsWithoutWait > 0) {
      this.#commitsWithoutWait--;
      return undefined;
    }
    return { clients, milliseconds: Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, commitMs)) };
  }

  /** Notes that a wait has ended before all clients came. */
  noteLateClients(): void {
    this.#commitsWithoutWait = COMMITS_WITHOUT_WAIT;
  }
}
