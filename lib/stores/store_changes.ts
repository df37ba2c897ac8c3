/**
 * Two counters by which a store tells that it has changed. The service keeps responses, and by
 * these counters it never sends a stale one:
 *
 * 1. The service copies the counters before it asks the store for what a response shows.
 * 2. It keeps the response with the copy.
 * 3. Before it sends the response again, it compares the copy with the counters of that moment.
 *
 * For example:
 *
 * 1. A client asks for pet 7 and for the last page. The service keeps both responses with the copy
 *    `{ additions: 4, alterations: 1 }`.
 * 2. A client adds pet 8. The store counts `{ additions: 5, alterations: 1 }` before the create
 *    resolves.
 * 3. The response with pet 7 is sent again, because its pet is the same. The last page is read
 *    anew, because it now shows pet 8.
 * 4. Another program renames pet 7. The store counts `{ additions: 5, alterations: 2 }`.
 * 5. The response with pet 7 is made anew.
 *
 * A full page is like pet 7: only an alteration makes it stale. A missing pet is like the last
 * page: an addition makes it stale too.
 *
 * A store keeps two rules. A counter grows after reads see the change, and before the create
 * resolves. A counter never decreases.
 */
export interface StoreChanges {
  /** Grows whenever pets are added, and perhaps at other times. */
  additions: number;
  /** Grows whenever a pet may have changed or disappeared, for example by another program. */
  alterations: number;
}
